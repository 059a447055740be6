"""Faults that are made on purpose in real runs: whether they are found, named, and how soon."""
