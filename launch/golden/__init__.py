"""Golden values, tensors kept to compare with them, and verdicts."""
