"""What the operating system grants and tells: limits, open files, threads, states of processes, shared memory."""
