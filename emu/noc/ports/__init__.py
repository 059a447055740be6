"""What every network obeys: the port, what a driver needs of a core, event registers, and how long sends take."""
