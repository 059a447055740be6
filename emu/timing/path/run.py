"""Runs of the first sample that are looked on, so that all of it is known: what led to its end, when units work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from emu.errors import InputError
from emu.timing.basis.result import Timing
from emu.timing.fast.core import FastCore
from emu.timing.fast.effort import Effort
from emu.timing.fast.fast import Fast
from emu.timing.fast.pipeline import Pipeline
from emu.timing.path.requests import Requests
from emu.timing.path.slices import Slices
from emu.timing.path.trace import SampleTrace
from emu.timing.setup import Setup

KEPT = 1 << 21  # operations of which something is kept

_Kept = TypeVar("_Kept", bound=Requests)


@dataclass(frozen=True, eq=False)
class KeptSample(Generic[_Kept]):
    """What was kept of `init` and of the first sample of `main`, by section and core, and their times."""

    timing: Timing
    of: Mapping[tuple[str, int], _Kept]


def trace_of(setup: Setup) -> KeptSample[SampleTrace]:
    """What decided each operation; raises InputError for a chip where that is not kept, TimingRefused for too many."""
    if setup.port_queues:
        raise InputError(
            "what decides each operation is not kept where operations in flight wait for ports of local memory:"
            " take a chip without timing.local_ports, or with timing.window = 1"
        )

    def trace(section: str, core: int, pipeline: Pipeline) -> SampleTrace:
        assert isinstance(pipeline, FastCore)  # operations do not queue
        return SampleTrace(pipeline)

    return _keep(setup, trace)


def slices_of(setup: Setup) -> KeptSample[Slices]:
    """When units work for what; raises TimingRefused for too many operations."""

    def slices(section: str, core: int, pipeline: Pipeline) -> Slices:
        columns = setup.cores[core].sections[section].view.section.columns
        return Slices(pipeline.body, columns["source"].tolist())

    return _keep(setup, slices)


def _keep(setup: Setup, make: Callable[[str, int, Pipeline], _Kept]) -> KeptSample[_Kept]:
    found: dict[tuple[str, int], _Kept] = {}

    def observe(section: str, core: int, pipeline: Pipeline) -> _Kept:
        return found.setdefault((section, core), make(section, core, pipeline))

    why = f"no critical path: more than {KEPT} operations would have to be followed one by one"
    return KeptSample(Fast(setup).run(1, observe, Effort(KEPT, why, kept=True)), found)
