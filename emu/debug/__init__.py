"""Stepping through the programs of a chip: turn by turn, to breakpoints, and back again."""
