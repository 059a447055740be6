"""Crossbars: what multiplies, and where the vectors come from that it is given."""
