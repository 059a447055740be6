"""Golden values, kept tensors to compare with them, and verdicts."""
