"""A module of a board that cannot be imported."""

raise RuntimeError("the driver is missing")
