"""Counters of a session: writes, products, bytes; of each crossbar, and in total."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from emu.program.group import GroupSpec


@dataclass(slots=True)
class DeviceCounts:
    """Writes of matrices or rows (`writes`), and the rows and weights that they wrote; products, by vectors; bytes."""

    writes: int = 0
    rows: int = 0
    weights: int = 0
    products: int = 0
    vectors: int = 0
    bytes_in: int = 0
    bytes_out: int = 0

    def wrote(self, rows: int, cols: int, nbytes: int) -> None:
        """A write of so many rows."""
        self.writes += 1
        self.rows += rows
        self.weights += rows * cols
        self.bytes_in += nbytes

    def multiplied(self, vectors: int, nbytes: int, spec: GroupSpec) -> None:
        """A product of so many vectors, for which `nbytes` went there."""
        self.products += 1
        self.vectors += vectors
        self.bytes_in += nbytes
        self.bytes_out += vectors * spec.cols * spec.output.size

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def total(parts: Iterable[DeviceCounts]) -> DeviceCounts:
    """The sum of counters."""
    found = DeviceCounts()
    for part in parts:
        for field in fields(DeviceCounts):
            setattr(found, field.name, getattr(found, field.name) + getattr(part, field.name))
    return found
