"""Engines: a core is a program and its state, driven by one of the engines of a table."""
