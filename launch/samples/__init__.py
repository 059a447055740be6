"""Inputs of runs as samples, and the side file in which finished samples outlive a crash."""
