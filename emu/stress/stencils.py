"""Exchanges on a two-dimensional grid of cores: halos and wavefronts."""

from __future__ import annotations

from emu.stress.grid import grid_of
from emu.stress.order import MessagePhase, Pair, independent, ordered

_SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0))  # (rows, columns) to the east, west, south and north


def halo2d(cores: int) -> list[MessagePhase]:
    """Each core exchanges with its neighbours in the grid, without going around the edges: one phase per direction."""
    grid = grid_of(cores)
    phases: list[MessagePhase] = []
    for down, right in _SIDES:
        inner = [(r, c) for r, c in grid.cells() if grid.inside(r + down, c + right)]
        phases.append(independent([(grid.core(r, c), grid.core(r + down, c + right)) for r, c in inner]))
    return phases


def sweep2d(cores: int) -> list[MessagePhase]:
    """A wavefront from core 0 to the opposite corner and back (as Sweep3D and LU do): two inputs, two outputs."""
    grid = grid_of(cores)
    front = sorted(grid.cells(), key=lambda cell: (sum(cell), cell))
    forth: list[Pair] = [
        (grid.core(row, col), grid.core(row + down, col + right))
        for row, col in front
        for down, right in ((0, 1), (1, 0))
        if grid.inside(row + down, col + right)
    ]
    return [ordered(forth), ordered((dst, src) for src, dst in reversed(forth))]
