"""Partitioning: weight matrices cut into crossbars, crossbars grouped into pieces, pieces placed on cores."""
