"""Imports of foreign programs into images, and their reports."""
