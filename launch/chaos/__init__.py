"""Disturbances that a run is given on purpose, and series of disturbed runs."""
