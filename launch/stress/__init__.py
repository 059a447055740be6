"""Stress tests: generated traffic is run like a compiled network, and its results are verified."""
