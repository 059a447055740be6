"""Runs from files to a report: options, inputs, the run itself, comparison, record."""
