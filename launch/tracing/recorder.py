"""A core that records its requests, the batches of instructions between them, and their times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from mmap import mmap
from time import monotonic_ns
from typing import Any

import numpy as np

from emu.core.engines.core import Core
from emu.core.progress import Progress
from emu.core.request import Capture, Load, Recv, Request, Send, Store, Sync, Wait
from emu.core.trap import INIT_SAMPLE, CoreTrap
from emu.isa.table import LOOP
from emu.noc.ports.resumable_core import ResumableCore
from emu.program.section import Section
from launch.processes.observer import ProcessObserver
from launch.tracing.events import NONE, OPEN, EventKind, EventRing, EventRings

_HIGH, _LOW = 1 << 30, -2  # above and below all sources


def labels(section: Section) -> list[int]:
    """Per instruction a number, equal for instructions of one source, and for the loops that hold no other."""
    columns = section.columns
    source, loops = columns["source"].astype(np.int64), columns["op"] == LOOP
    found = source.copy()
    at = np.flatnonzero(loops)
    if at.size:
        bounds = np.stack([at + 1, columns["end"][at]], axis=1).reshape(-1)
        lowest = np.minimum.reduceat(np.append(np.where(loops, _HIGH, source), _HIGH), bounds)[::2]
        highest = np.maximum.reduceat(np.append(np.where(loops, _LOW, source), _LOW), bounds)[::2]
        found[at] = np.where(lowest == highest, lowest, _LOW - at)
    return found.tolist()


IDLE = -(1 << 40)  # in place of a label: nothing runs

EventFields = tuple[EventKind, int, int, int]  # kind, other, size and number of a request


class Recorder:
    """A core that does what `core` does, and writes events into `ring`.

    A batch of instructions ends with a request, at the end of the section, and where other ONNX nodes begin.
    """

    def __init__(self, core: Core, ring: EventRing) -> None:
        self._core, self._ring = core, ring
        self._labels = {"init": labels(core.program.init), "main": labels(core.program.main)}
        self._present: list[int] = []  # of the running section
        self._sample = INIT_SAMPLE
        self._label = IDLE
        self._first = 0  # instruction of the batch
        self._since = 0  # when it began
        self._sent: dict[int, int] = {}  # messages, by peer
        self._taken: dict[int, int] = {}
        self._describe: dict[type, Callable[[Any], EventFields]] = {
            Send: lambda request: (EventKind.SEND, request.peer, len(request.data), _next(self._sent, request.peer)),
            Recv: lambda request: (EventKind.RECV, request.peer, len(request.into), _next(self._taken, request.peer)),
            Load: lambda request: (EventKind.LOAD, NONE, len(request.into), NONE),
            Store: lambda request: (EventKind.STORE, NONE, len(request.data), NONE),
            Sync: lambda request: (EventKind.SYNC, request.peer, request.event, NONE),
            Wait: lambda request: (EventKind.WAIT, NONE, request.event, NONE),
            Capture: lambda request: (EventKind.CAPTURE, NONE, len(request.data), request.buffer),
        }
        self.position = core.position
        core.watch(self._runs)

    @property
    def events(self) -> int:
        """Number of event registers."""
        return self._core.events

    def begin(self, section: str, sample: int) -> None:
        """Start `init` or `main` of a sample."""
        self._core.begin(section, sample)
        self._present, self._sample = self._labels[section], sample if section == "main" else INIT_SAMPLE

    def advance(self) -> Request | Progress:
        """Run to the next request to fulfil, RUNNING or HALTED; raises CoreTrap."""
        if self._label == IDLE:
            self._since = monotonic_ns()
        try:
            step = self._core.advance()
        except CoreTrap:
            self._rests(monotonic_ns())
            raise
        if step is not Progress.RUNNING:
            now = monotonic_ns()
            self._rests(now)
            if not isinstance(step, Progress):
                kind, other, size, number = self._describe[type(step)](step)
                self._ring.add(kind, self._sample, now, OPEN, self._core.index, other, size, number)
        return step

    def complete(self, request: Request) -> None:
        """The request has been fulfilled."""
        self._ring.close(monotonic_ns())
        self._core.complete(request)

    def trap(self, reason: str, *, value: int | None = None, limit: int | None = None) -> CoreTrap:
        """A trap at the present instruction, whose request has failed."""
        self._ring.close(monotonic_ns())
        return self._core.trap(reason, value=value, limit=limit)

    def _runs(self, index: int) -> None:
        """The instruction or nest at `index` is about to run."""
        label = self._present[index]
        if label != self._label:
            if self._label != IDLE:
                now = monotonic_ns()
                self._ends(index, now)
                self._since = now
            self._label, self._first = label, index

    def _rests(self, now: int) -> None:
        """End the batch; a request is no batch, although the core reported it like any instruction."""
        index = self._core.index
        if self._label != IDLE and index != self._first:
            self._ends(index, now)
        self._label = IDLE

    def _ends(self, index: int, now: int) -> None:
        self._ring.add(EventKind.COMPUTE, self._sample, self._since, now, self._first, index)


def _next(counts: dict[int, int], peer: int) -> int:
    """The number of the next message from or to `peer`."""
    number = counts.get(peer, 0)
    counts[peer] = number + 1
    return number


class TraceObserver(ProcessObserver):
    """Writes the events of each core into `memory`, the newest `values` of them."""

    def __init__(self, values: Any, memory: mmap | None, cores: Sequence[int]) -> None:
        assert memory is not None
        self._events = EventRings(memory, cores, values)

    def resumable(self, core: int, resumable: ResumableCore) -> ResumableCore:
        """A recorder around the core itself, whose engine tells what it is about to run."""
        if not isinstance(resumable, Core):
            raise TypeError(f"core {core} is driven through another observer already, which must come after tracing")
        return Recorder(resumable, self._events.ring(core))
