"""Straight-line code of a core rolled back into the loops that it was unrolled from, without loss."""
