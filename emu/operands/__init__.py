"""Operands and loops of a section, once: which bytes instructions touch, where loops take them, when they run."""
