"""Folders of meta-operator flows: written from networks, run against golden values."""
