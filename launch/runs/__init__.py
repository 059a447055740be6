"""Runs: from options and files to a run, its comparison with golden values, and a report."""
