"""The units of a core by number, and how figures of a chip become integer picoseconds."""

from __future__ import annotations

from emu.noc.traffic import traffic

SCALAR, VECTOR, TRANSFER = range(3)
FIRST_GROUP = 3  # array group g is unit FIRST_GROUP + g
NO_UNIT = -1  # of a loop, which takes no time
MEMORY = traffic.MEMORY  # the number of the global memory among the nodes of the network

PS_PER_NS = 1000


def unit_name(unit: int) -> str:
    """`scalar`, `vector`, `transfer` or `group 3`."""
    return ("scalar", "vector", "transfer")[unit] if unit < FIRST_GROUP else f"group {unit - FIRST_GROUP}"


def picoseconds(ns: float) -> int:
    """Nanoseconds as the nearest integer of picoseconds, halves up; every single figure is rounded, never a sum."""
    return int(ns * PS_PER_NS + 0.5)
