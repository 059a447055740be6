"""Deadlocks and losses: which core waits for which, and where, as values and as sentences."""
