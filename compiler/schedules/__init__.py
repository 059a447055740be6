"""Schedules: how work is cut and ordered beyond what a network says, and how much of it where."""
