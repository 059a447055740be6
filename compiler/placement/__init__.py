"""Placement: computes get cores, from a table of the work that each is."""
