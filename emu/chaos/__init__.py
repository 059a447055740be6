"""Faults on purpose: seeded disturbances of core processes and of what they send, reproducible, off by default."""
