"""The engine `batch`: proves that loop nests may run as array operations, and runs them so."""
