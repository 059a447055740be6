"""Measures host programs: kernels and graphs of products that call a device, lowered, counted and executed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from compiler.dialects import cim
from compiler.offload.context import OffloadContext
from compiler.offload.kernels import GRAPHS, KERNELS, OffloadKernel
from compiler.offload.pipeline import parse_passes
from compiler.offload.program import HostProgram, Lowered
from compiler.offload.work import offloaded_share
from emu.arch import Arch
from emu.arch.derived import derived
from emu.arch.read import load_arch
from launch.devices.counters import DeviceCounts
from launch.devices.device import device
from launch.devices.simulation import Simulation
from launch.offload.comparing import compare
from launch.offload.counting import CallCounts, count
from launch.offload.crossbars import DeviceCrossbars
from launch.offload.inputs import inputs_of
from launch.papers.schedules.case import FigurePoint, PointOutcome

PROGRAMS: Mapping[str, OffloadKernel] = {**KERNELS, **GRAPHS}
TYPES: Mapping[str, str] = {"int8": "i8", "float32": "f32"}
SEED = 0


def outcome_of(case: FigurePoint) -> PointOutcome:
    """What comes of a host program: counted in its size, and executed in that, or in one that can be.

    Its time is that of the device's programs where the size is executed, else of the calls that are counted. Raises
    InputError, and what devices raise.
    """
    kernel, chip = PROGRAMS[case.network], derived(load_arch(case.chip), case.changes)
    cores, size = case.cores or chip.cores, case.size or kernel.size
    executed = min(size, kernel.executed or size)
    lowered, share = _lowered(case, chip, cores, size)
    counted = count(lowered, chip, cores)
    smaller = lowered if executed == size else _lowered(case, chip, cores, executed)[0]
    differ, counts, simulation = _execute(case, smaller, chip, cores, executed)
    if counts != (counted if executed == size else count(smaller, chip, cores)).counts:
        raise AssertionError(f"{case.network}, {case.schedule}: the calls that are counted are not those that are made")
    return _outcome(case, lowered, counted, simulation if executed == size else None, share, differ, executed, size)


def _outcome(
    case: FigurePoint,
    lowered: Lowered,
    counted: CallCounts,
    simulation: Simulation | None,
    share: float | None,
    differ: int,
    executed: int,
    size: int,
) -> PointOutcome:
    time = counted.time_ps if simulation is None else simulation.time_ps
    return PointOutcome(
        cores=counted.cores,
        crossbars=counted.crossbars,
        latency_ps=time or 0,
        energy_pj=None if simulation is None else simulation.energy_pj,
        call_sites=lowered.sites,
        writes=counted.counts.writes,
        steps=_steps(lowered.module) if case.schedule in ("asap", "alap") else None,
        share=share,
        use=counted.use,
        lifetime_years=counted.lifetime_years,
        size=size,
        executed=executed,
        differ=differ,
    )


def _lowered(case: FigurePoint, chip: Arch, cores: int, size: int) -> tuple[Lowered, float | None]:
    """The program after the passes of the schedule, and the share of its arithmetic that the device does."""
    context, passes = OffloadContext(chip, cores), parse_passes(case.options["passes"])
    program = _program(case.network, size, TYPES[case.types])
    return program.lowered(passes, context, "cim"), offloaded_share(program, passes, context)


@lru_cache(maxsize=2)  # schedules of a program follow each other
def _program(network: str, size: int, kind: str) -> HostProgram:
    context = OffloadContext(load_arch("occ"), 1)  # reading asks for dialects alone
    return HostProgram.read(Path(network), PROGRAMS[network].text(size, kind).encode(), context)


@lru_cache(maxsize=1)
def _golden(network: str, size: int, kind: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Inputs of a program, and its results without a device."""
    program = _program(network, size, kind)
    arrays = inputs_of(program.inputs, (), SEED)
    return arrays, program.run(arrays)


def _execute(
    case: FigurePoint, lowered: Lowered, chip: Arch, cores: int, size: int
) -> tuple[int, DeviceCounts, Simulation]:
    """Elements that differ from the interpretation without a device, what was called, and what it takes on the chip."""
    arrays, golden = _golden(case.network, size, TYPES[case.types])
    with device(chip, cores, backend="sequential", record=False) as powered:
        made = lowered.run(arrays, DeviceCrossbars(powered))
        powered.barrier()
        simulation = powered.simulate()
        differ = sum(compare("", one, np.asarray(other)).differ for one, other in zip(made, golden, strict=True))
        return differ, powered.counters, simulation


def _steps(module: ModuleOp) -> int:
    """How often products are waited for after others were called."""
    steps, called = 0, False
    for op in module.walk():
        if isinstance(op, cim.GemmOp):
            called = True
        elif isinstance(op, cim.BarrierOp) and called:
            steps, called = steps + 1, False
    return steps
