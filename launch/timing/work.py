"""What units do, in picoseconds of one sample: by node, by unit, and the busiest of all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from emu.census.nodes import rows_by_node
from emu.isa.codes import ASK_OF
from emu.timing.basis.units import NO_UNIT, TRANSFER, unit_name
from launch.timing.timed_image import TimedImage


@dataclass(frozen=True, slots=True)
class NodeWork:
    """An ONNX node: its cores, and what its operations take: without requests, and the requests' own part of it."""

    node: str
    cores: tuple[int, ...]
    compute_ps: int
    transfer_ps: int


@dataclass(frozen=True, slots=True)
class UnitWork:
    """A unit of a core: how long it was busy per sample, and the nodes for which it works."""

    core: int
    unit: str
    busy_ps: int
    nodes: tuple[str, ...]


def node_work(timed: TimedImage) -> list[NodeWork]:
    """Per node what its instructions in `main` take, whoever waits for whom; in the order of the programs."""
    found: dict[str, tuple[set[int], list[int]]] = {}
    for core, node, rows in _rows(timed):
        section = timed.setup.cores[core].sections["main"]
        costs, ask = section.costs, ASK_OF[section.view.section.columns["op"]] > 0
        each = costs.read + costs.compute + costs.write + costs.wire + costs.service
        times = each * _executions(timed, core)
        cores, sums = found.setdefault(node, (set(), [0, 0]))
        cores.add(core)
        sums[0] += int(times[rows & ~ask].sum())
        sums[1] += int(times[rows & ask].sum())
    return [NodeWork(node, tuple(sorted(cores)), *sums) for node, (cores, sums) in found.items()]


def unit_work(timed: TimedImage) -> list[UnitWork]:
    """Every unit that was busy, the busiest first.

    The transfer unit is busy as long as a request is not finished, so also while it waits for others.
    """
    nodes: dict[tuple[int, int], dict[str, None]] = {}
    for core, node, rows in _rows(timed):
        units = timed.setup.cores[core].sections["main"].costs.unit
        for unit in np.unique(units[rows & (units != NO_UNIT) & (_executions(timed, core) > 0)]).tolist():
            nodes.setdefault((core, unit), {})[node] = None
    busy = {
        (core, unit): int(time) // timed.samples
        for core, times in zip(timed.timing.cores, timed.timing.main.busy, strict=True)
        for unit, time in enumerate(times.tolist())
        if time
    }
    order = sorted(busy, key=lambda place: (-busy[place], place))
    return [UnitWork(core, unit_name(unit), busy[core, unit], tuple(nodes[core, unit])) for core, unit in order]


def busiest(units: list[UnitWork]) -> UnitWork | None:
    """The unit that works longest, requests left out: the time per sample cannot be less."""
    return next((unit for unit in units if unit.unit != unit_name(TRANSFER)), None)


def _executions(timed: TimedImage, core: int) -> np.ndarray:
    """How often each instruction of `main` runs in one sample."""
    return timed.timing.main.executions[timed.timing.cores.index(core)] // timed.samples


def _rows(timed: TimedImage) -> Iterator[tuple[int, str, np.ndarray]]:
    """Per core and node a mask over the instructions of `main`."""
    for core, program in timed.programs.items():
        for node, rows in rows_by_node(program):
            yield core, node, rows
