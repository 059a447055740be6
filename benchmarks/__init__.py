"""Measurements of ratios: ours against a bare baseline, in one run."""
