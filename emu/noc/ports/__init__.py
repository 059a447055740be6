"""What every network provides: the port, what drives a core through it, event registers, and how long sends take."""
