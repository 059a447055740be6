"""Measurements that say where the product stands: a table of rows, each ours against a baseline in one run."""
