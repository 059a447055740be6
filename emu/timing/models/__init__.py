"""Published cost models: one file and one row each."""
