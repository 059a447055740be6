"""Basis: what all of the compiler may use: arrays by key, budgets, suggestions for misspelt names."""
