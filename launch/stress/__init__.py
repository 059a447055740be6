"""Stress tests: generated traffic, run as a compiled network is, and what came of it."""
