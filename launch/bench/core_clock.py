"""Inside a core process: processor time by kind of kernel, by engine and network, one line of JSON per sample."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from time import thread_time
from typing import Any

import numpy as np

from emu.core.kernels.spec import Kernel, KernelSpec, Maker
from emu.core.kernels.table import KERNELS
from emu.core.products.packed import PackedSums
from emu.core.products.vectors import VectorProducts
from emu.core.progress import Progress
from emu.core.request import Request
from emu.core.trap import CoreTrap
from emu.noc.between_processes.driver import SampleLog
from emu.noc.ports.resumable_core import ResumableCore
from emu.program.program import Program
from launch.processes.observer import Observation, ProcessObserver

GEMM = "matmul"  # the products inside of `mvmul`
_PRODUCTS = ((np, "matmul"), (PackedSums, "__call__"), (VectorProducts, "multiply"))  # who makes them, and by what
Line = dict[str, Any]
RUN_DELAY = Path("/proc/thread-self/schedstat")


class ClockTally:
    """Seconds of processor time and calls since power-on, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.calls: dict[str, int] = defaultdict(int)

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, whose processor time counts as `name`."""

        def call(*arguments: Any, **named: Any) -> Any:
            began = thread_time()
            try:
                return function(*arguments, **named)
            finally:
                self.seconds[name] += thread_time() - began
                self.calls[name] += 1

        return call


def _timed_maker(tally: ClockTally, make: Maker) -> Maker:
    def maker(spec: KernelSpec) -> Kernel:
        return tally.timed(spec.name, make(spec))

    return maker


class ClockedCore:
    """A core whose own work (everything but waiting for requests) is counted as `engine`."""

    def __init__(self, resumable: ResumableCore, tally: ClockTally) -> None:
        self._resumable = resumable
        self.begin: Callable[[str, int], None] = tally.timed("engine", resumable.begin)
        self.advance: Callable[[], Request | Progress] = tally.timed("engine", resumable.advance)
        self.complete: Callable[[Request], None] = tally.timed("engine", resumable.complete)
        self.position = resumable.position

    @property
    def events(self) -> int:
        """Number of event registers."""
        return self._resumable.events

    def trap(self, reason: str, *, value: int | None = None, limit: int | None = None) -> CoreTrap:
        """A trap at the current instruction."""
        return self._resumable.trap(reason, value=value, limit=limit)


class SampleLines:
    """Writes one line per finished sample: everything counted since power-on."""

    def __init__(self, path: Path, tally: ClockTally) -> None:
        self._file, self._tally = path.open("w", buffering=1), tally

    def begins(self, sample: int) -> None:
        """A sample begins."""

    def ends(self, sample: int) -> None:
        """A sample is done."""
        delay = int(RUN_DELAY.read_text().split()[1]) * 1e-9 if RUN_DELAY.exists() else 0.0
        line = {
            "sample": sample,
            "process": os.getpid(),
            "wall": time.perf_counter(),
            "thread": thread_time(),  # of the core itself
            "all": time.process_time(),  # with ZeroMQ's threads
            "delay": delay,  # ready to run, but without a processor
            "seconds": self._tally.seconds,
            "calls": self._tally.calls,
        }
        self._file.write(json.dumps(line) + "\n")


class TallyObserver(ProcessObserver):
    """Counts in each core's process; what it has counted goes to the folder `values`, a line per sample."""

    early = False

    def begins(self, core: int) -> None:
        """Begin to count."""
        self.tally = ClockTally()

    def log(self, core: int, log: SampleLog) -> SampleLog:
        """Lines about what was counted."""
        return SampleLines(Path(self.values) / f"core_{core:04d}.jsonl", self.tally)


class CoreClock(TallyObserver):
    """Clocks around the kernels, the engine and the samples of each core.

    The core's own process puts clocks around products and kernels before it loads the program, so every use of them is
    timed; a process without this observer executes none of this.
    """

    def begins(self, core: int) -> None:
        """Put clocks around kernels and products."""
        super().begins(core)
        for name, make in list(KERNELS.items()):
            KERNELS[name] = _timed_maker(self.tally, make)
        for owner, name in _PRODUCTS:
            setattr(owner, name, self.tally.timed(GEMM, getattr(owner, name)))

    def resumable(self, core: int, resumable: ResumableCore) -> ResumableCore:
        """`resumable` with clocks."""
        return ClockedCore(resumable, self.tally)


class Tallied(Observation):
    """A run in which `observer` counts in all cores, and writes that into `folder`, which exists."""

    def __init__(self, observer: type[TallyObserver], folder: Path) -> None:
        self.observer, self._folder = observer, folder

    def plan(self, programs: Mapping[int, Program]) -> str:
        """The folder for the observer."""
        return str(self._folder.resolve())

    def lines(self) -> dict[int, list[Line]]:
        """By core, the lines about all samples that it has finished."""
        files = sorted(self._folder.glob("core_*.jsonl"))
        return {int(file.stem[5:]): [json.loads(line) for line in file.read_text().splitlines()] for file in files}
