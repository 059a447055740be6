"""Models of cells: errors of programming, noise of reading, drift, faults."""
