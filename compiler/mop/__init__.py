"""Emits meta-operator flows (docs/mop.md): networks as layers, cut for crossbars, scheduled for the chip's mode."""
