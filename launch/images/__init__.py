"""Compiled directories: how they come about, are checked before a run, and what they hold."""
