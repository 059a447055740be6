"""The rows of the benchmark, in the order in which they are printed; each stands beside what measures it."""

from __future__ import annotations

from collections.abc import Iterable

from emu.errors import InputError
from launch.bench import (
    analog,
    compiling,
    device,
    engines,
    growth,
    host_programs,
    machines,
    network,
    speed,
    timing,
    tracing,
)
from launch.bench.row import BenchRow

ROWS: tuple[BenchRow, ...] = (
    *speed.ROWS,
    *tracing.ROWS,
    *compiling.ROWS,
    *timing.ROWS,
    *engines.ROWS,
    *analog.ROWS,
    *device.ROWS,
    *host_programs.ROWS,
    *network.ROWS,
    *machines.ROWS,
    *speed.COPIES,
    *growth.ROWS,
    *speed.SCALING,
)


def choose(names: Iterable[str]) -> tuple[BenchRow, ...]:
    """The rows with these names, in the order of the table; raises InputError for an unknown one."""
    known = {row.name: row for row in ROWS}
    wanted = set(names)
    unknown = sorted(wanted - known.keys())
    if unknown:
        raise InputError(f"--row {unknown[0]!r} is unknown: `emu bench --list` names all rows")
    return tuple(row for row in ROWS if row.name in wanted)
