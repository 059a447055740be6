"""Key-value caches that grow with every step: how they get a fixed capacity and a position."""
