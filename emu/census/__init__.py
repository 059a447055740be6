"""What programs hold and do in one sample, counted once: per core and node, for everybody who tells of it."""
