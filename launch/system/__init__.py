"""Services of the operating system: limits, open files, threads, process states, shared memory."""
