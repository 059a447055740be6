"""A core that is a process: its inbox, its port, and the driver that blocks."""
