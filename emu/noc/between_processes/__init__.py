"""A core that is a process: its inbox, its port over ZeroMQ, and the driver that blocks."""
