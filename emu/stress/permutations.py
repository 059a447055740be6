"""Permutation traffic: every core sends to one other core (Dally and Towles, Principles and Practices, table 3.1)."""

from __future__ import annotations

from collections.abc import Callable

from emu.stress.grid import grid_of
from emu.stress.order import MessagePhase, independent
from emu.stress.refusal import Unsuitable

Permutation = Callable[[int, int], int]  # (core, number of cores) -> destination


def bit_permutation(destination: Permutation) -> Callable[[int], list[MessagePhase]]:
    """The round of a permutation of the bits of the core's number; `destination` gets (core, number of bits)."""

    def phases(cores: int) -> list[MessagePhase]:
        bits = cores.bit_length() - 1
        if cores != 1 << bits:
            raise Unsuitable("needs a power of two of cores")
        return [independent([(core, destination(core, bits)) for core in range(cores)])]

    return phases


def complement(core: int, bits: int) -> int:
    """Every bit inverted."""
    return ~core & ((1 << bits) - 1)


def reverse(core: int, bits: int) -> int:
    """The bits in opposite order."""
    return sum((core >> bit & 1) << (bits - 1 - bit) for bit in range(bits))


def shuffle(core: int, bits: int) -> int:
    """The bits rotated to the left by one."""
    return (core << 1 | core >> (bits - 1)) & ((1 << bits) - 1) if bits else core


def transpose(cores: int) -> list[MessagePhase]:
    """(row, column) sends to (column, row)."""
    grid = grid_of(cores)
    if not grid.square:
        raise Unsuitable("needs a square number of cores")
    return [independent([(grid.core(row, col), grid.core(col, row)) for row, col in grid.cells()])]


def tornado(cores: int) -> list[MessagePhase]:
    """Almost half way around the ring of each dimension: k/2 - 1 steps, rounded up, of k."""
    return _shifted(cores, lambda size: -(-size // 2) - 1)


def neighbor(cores: int) -> list[MessagePhase]:
    """One step on in each dimension, around the edges."""
    return _shifted(cores, lambda size: 1 if size > 1 else 0)


def ring(cores: int) -> list[MessagePhase]:
    """Core k sends to core k + 1, the last one to core 0."""
    return [independent([(core, (core + 1) % cores) for core in range(cores)])]


def _shifted(cores: int, distance: Callable[[int], int]) -> list[MessagePhase]:
    grid = grid_of(cores)
    down, right = distance(grid.rows), distance(grid.cols)
    return [independent([(grid.core(r, c), grid.core(r + down, c + right)) for r, c in grid.cells()])]
