"""Every level of a compilation executed and compared with the one before it, and the programs with the last."""
