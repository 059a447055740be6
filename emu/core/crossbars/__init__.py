"""Crossbars: the array groups that multiply, and the origin of the vectors that they are given."""
