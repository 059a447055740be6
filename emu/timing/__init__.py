"""Time, energy and area of programs on a described chip: replayed without data, in simulated-time order."""
