"""What bounds the time of an image: the kernels of its cores called alone, and its messages between bare processes."""

from __future__ import annotations

import os
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from emu.core.crossbars.fault import Fault
from emu.core.engines.core import Core
from emu.core.kernels.spec import Kernel, KernelSpec, Maker
from emu.core.kernels.table import KERNELS
from emu.core.request import Load, Recv, Request, Send, Store
from emu.image.reader import open_image
from emu.noc.memory.read_only import ReadOnlyMemory
from launch.bench.baselines.raw_traffic import LOAD, RECV, SEND, STORE, RawTraffic, Step
from launch.bench.clock import seconds
from launch.bench.probe import probe
from launch.bench.traffic import MeasuredCost, spent
from launch.bench.workshop import stored_inputs
from launch.chips.sequential import power_on_sequential

WARM_UP = 2  # samples before the one that is recorded: the second one runs as all later ones do


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one image: seconds of all kernels in a bare loop, and of messages, loads and stores between bare processes.

    Loads of what never changes are left out, as they need no message.
    """

    kernels: float
    calls: int
    messages: int
    asked: int  # loads and stores
    nbytes: int  # of all of these
    processes: int
    bare: MeasuredCost

    @property
    def processor(self) -> float:
        """Seconds of processors for all of it."""
        return self.kernels + self.bare.processor

    def latency(self, processors: int) -> float:
        """Seconds that pass for all of it, if so many processors never waited."""
        return self.processor / processors

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"processor": self.processor}


def bounds(image: Path, runs: int) -> Bounds | None:
    """Measure, in fresh processes with one BLAS thread; None for an image that takes no inputs or has no outputs."""
    found = probe(record, image=image, runs=runs).result
    steps = [step for own in found["steps"].values() for step in own]
    kinds = [kind for kind, _, _ in steps]
    if LOAD not in kinds or STORE not in kinds:
        return None  # nothing would begin a sample of bare processes, or end it
    bare = probe(exchange, steps=found["steps"], runs=runs).result
    return Bounds(
        kernels=found["kernels"],
        calls=found["calls"],
        messages=kinds.count(SEND),
        asked=kinds.count(LOAD) + kinds.count(STORE),
        nbytes=sum(size for kind, _, size in steps if kind != RECV),
        processes=len(found["steps"]),
        bare=MeasuredCost(**bare),
    )


def record(image: str, runs: int) -> dict[str, Any]:
    """The least seconds of the kernel calls of a sample, made again in their order, and the requests of each core."""
    path = Path(image)
    calls = list[Callable[[], None]]()
    steps: dict[int, list[Step]] = defaultdict(list)
    constant = ReadOnlyMemory(open_image(path, verify=False).read_only())

    def note(core: int, request: Request) -> None:
        if isinstance(request, Load) and not any(
            constant.outside(request.address, request.address + len(request.into))
        ):
            return
        if (step := _step(request)) is not None:
            steps[core].append(step)

    for name, make in list(KERNELS.items()):
        KERNELS[name] = _recorded_maker(make, calls)
    _record_requests(note)
    inputs = stored_inputs(path)
    with power_on_sequential(path) as chip:
        for _ in range(WARM_UP + 1):
            calls.clear()
            steps.clear()
            chip.run(inputs)
        with np.errstate(all="ignore"):  # values grow where results are added to what they were before
            least = min(seconds(partial(_again, calls)) for _ in range(runs))
    return {"kernels": least, "calls": len(calls), "steps": {str(core): own for core, own in sorted(steps.items())}}


def exchange(steps: dict[str, list[Step]], runs: int) -> dict[str, float]:
    """The medians of `MeasuredCost` of a sample of bare processes."""
    with RawTraffic({int(core): own for core, own in steps.items()}) as raw:
        turns = [asdict(spent(raw.go, [os.getpid(), *raw.children], 1)) for _ in range(runs)]
    return {name: statistics.median(each[name] for each in turns) for name in turns[0]}


def _again(calls: Sequence[Callable[[], None]]) -> None:
    """Make `calls` once more. Operands that later calls have overwritten may be no indices: such a call ends early."""
    for call in calls:
        try:
            call()
        except Fault:
            continue


def _step(request: Request) -> Step | None:
    if isinstance(request, Send):
        return SEND, request.peer, len(request.data)
    if isinstance(request, Recv):
        return RECV, request.peer, len(request.into)
    if isinstance(request, Load):
        return LOAD, 0, len(request.into)
    return (STORE, 0, len(request.data)) if isinstance(request, Store) else None


def _record_requests(note: Callable[[int, Request], None]) -> None:
    """From now on note what each core asked for, when it is done."""
    complete = Core.complete

    def noted(core: Core, request: Request) -> None:
        note(core.program.core, request)
        complete(core, request)

    Core.complete = noted  # type: ignore[method-assign]


def _recorded_maker(make: Maker, calls: list[Callable[[], None]]) -> Maker:
    def maker(spec: KernelSpec) -> Kernel:
        kernel = make(spec)

        def recorded(*operands: Any, **named: Any) -> None:
            calls.append(partial(kernel, *operands, **named))
            kernel(*operands, **named)

        return recorded

    return maker
