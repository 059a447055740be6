"""Inputs of runs as samples, and the side file that keeps finished samples over a crash."""
