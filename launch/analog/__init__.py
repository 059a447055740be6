"""Runs on cells, wires and converters: what chip they run on, trials of it, what is counted, verdicts of statistics."""
