"""Chips that are powered on, as processes or in this one, and how samples go through them."""
