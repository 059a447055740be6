"""Fault injection into real runs: whether faults are detected and named, and how soon."""
