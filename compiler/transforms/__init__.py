"""Passes, one per file: the name of a pass is the name of its file."""
