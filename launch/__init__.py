"""People and processes: command line, spawning, supervision, golden, reports."""
