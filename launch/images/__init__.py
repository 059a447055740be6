"""Compiled directories: compiled, checked before a run, and summarised."""
