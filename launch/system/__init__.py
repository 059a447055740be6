"""What the operating system provides: limits, open files, threads, states of processes, shared memory."""
