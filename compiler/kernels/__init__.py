"""Kernels: one file per kind, with what it needs (scratch, constants) and the instructions it becomes."""
