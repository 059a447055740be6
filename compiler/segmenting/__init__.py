"""Segments of a network that is larger than the chip: whose weights are on crossbars when, and how they get there."""
