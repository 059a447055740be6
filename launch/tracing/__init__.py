"""Traces of a run, and of simulated time, for Perfetto and Chrome."""
