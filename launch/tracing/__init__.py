"""Traces: what the cores of a run did when, and what Perfetto and Chrome show of it, or of simulated time."""
