"""Dialect `linalg` as compilers print it: what xDSL has, and what it lacks or reads differently."""
