"""Global memory: its node, and the ends of cores and host that talk to it."""
