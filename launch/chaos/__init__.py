"""Fault injection into a run, and series of disturbed runs."""
