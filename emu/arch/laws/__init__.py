"""Laws by which figures of components follow the geometry of a chip: one row each, in `table.py`."""
