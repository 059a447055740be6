"""Sweeps over chips: the same network on every combination of some values of an architecture's keys."""
