"""Bare baselines, written with as little as possible around the libraries."""
