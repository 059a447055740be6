"""The tape of a core: what `main` does between its requests, noted in one sample and played in all further ones.

Once a complete sample has shown that no sample reads undefined bytes, nothing is left to decide: programs do not
branch, no address depends on data, and crossbars of a bank that are written come to hold the same in every sample. What
may trap or writes a register is never noted: where it stands, the engine runs as ever up to the next request. What
puts constants where they still are from the sample before is left out (`settled.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from emu.core.batch.settled import Noted, settled
from emu.core.kernels.spec import Call
from emu.core.memory import Range
from emu.core.progress import Progress
from emu.core.request import Load, Recv, Request
from emu.core.sequencer import Place, Sequencer
from emu.core.state import CoreState

MAX_STRETCHES = 1 << 14  # noted per core; what comes behind them in a sample is run as ever
MAX_CALLS = 1 << 16  # noted per core, equal stretches once; one that is longer is run as ever

Part = tuple[Sequence[int], Sequence[Call]]  # the counters of the loops around, and what is called there


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a core does up to a request (or pause, or end) `step` at `place`, and how much the statistics grow by it."""

    parts: Sequence[Part]
    place: Place
    step: Request | Progress
    counts: Sequence[int]


class Tape:
    """Notes the first sample of `main` that it is begun in, if that comes to its end, and plays in the others."""

    def __init__(self, state: CoreState) -> None:
        self._sequencer: Sequencer = state.sequencer
        self._memory = state.memory
        self._statistics = state.statistics
        self._stretches: list[Stretch | None] = []  # None: run as ever
        self._whole = False
        self._at = 0  # the stretch to be played next
        self._parts: list[tuple[list[int], list[Call]]] = []  # so far in this stretch
        self._plain = True  # whether nothing but what is in `_parts` has run in this stretch
        self._size = 0  # calls in `_parts`
        self._before: Sequence[int] = ()
        self._known: dict[tuple[int, ...], Sequence[Call]] = {}  # by the identities of the calls, which are kept
        self._left = MAX_CALLS
        self._sample: list[Noted] | None = []  # None: too long
        self._received: list[Range] = []

    def begin(self) -> None:
        """A sample begins, in which what was noted is right."""
        self._at = 0
        if not self._whole:
            self._stretches.clear()
            self._known.clear()
            self._left = MAX_CALLS
            self._sample, self._received = [], []
            self._start()

    def _start(self) -> None:
        self._parts, self._plain, self._size, self._before = [], True, 0, self._statistics.counts()

    def play(self) -> Request | Progress | None:
        """Run up to the next request, pause or end, which is the result; None, with nothing done: not noted."""
        if not self._whole or self._at >= len(self._stretches):
            return None
        stretch = self._stretches[self._at]
        self._at += 1
        if stretch is None:
            return None
        if stretch.parts:
            around = self._sequencer.counters
            with np.errstate(all="ignore"):
                for counters, calls in stretch.parts:
                    around[:] = counters
                    for call in calls:
                        call()
        self._sequencer.stand(stretch.place)
        self._statistics.add(stretch.counts)
        return stretch.step

    def note(self, noted: Noted) -> None:
        """This has run. Calls, if there are any, are the same in every sample."""
        if self._whole:
            return
        if self._sample is not None:
            self._sample.append(noted)
            if len(self._sample) > MAX_CALLS:
                self._sample = None
        calls = noted.calls
        if calls is None:
            self.spoil()
        if calls is None or not self._plain:
            return
        self._size += len(calls)
        if self._size > self._left:
            self.spoil()
            return
        counters = self._sequencer.counters
        if not self._parts or self._parts[-1][0] != counters:
            self._parts.append((list(counters), []))
        self._parts[-1][1].extend(calls)

    def spoil(self) -> None:
        """Something has run that has to be decided anew in every sample."""
        self._plain = False
        self._parts.clear()

    def end(self, step: Request | Progress) -> None:
        """What was noted ends with `step`, to be played again from the next sample on, once the section is over."""
        if self._whole:
            return
        if isinstance(step, Recv | Load):
            self._received.append(self._memory.extent(np.asarray(step.into)))
        if len(self._stretches) < MAX_STRETCHES:
            self._stretches.append(self._stretch(step) if self._plain else None)
        self._start()
        if step is Progress.HALTED:
            self._leave_out()
            self._whole = True
            self._known.clear()
            self._sample = None

    def _leave_out(self) -> None:
        """Forget the calls that have settled what they write, once for all samples."""
        done = settled(self._sample, self._received) if self._sample is not None else set[int]()
        if not done:
            return
        for k, stretch in enumerate(self._stretches):
            if stretch is not None and any(id(call) in done for _, calls in stretch.parts for call in calls):
                parts = [
                    (counters, [call for call in calls if id(call) not in done]) for counters, calls in stretch.parts
                ]
                self._stretches[k] = replace(stretch, parts=parts)

    def _stretch(self, step: Request | Progress) -> Stretch | None:
        parts = list[Part]()
        for counters, calls in self._parts:
            key = tuple(map(id, calls))
            self._left -= 1
            if key not in self._known:
                self._left -= len(calls)
                self._known[key] = tuple(calls)
            parts.append((tuple(counters), self._known[key]))
        counts = [now - before for now, before in zip(self._statistics.counts(), self._before, strict=True)]
        return Stretch(tuple(parts), self._sequencer.place(), step, tuple(counts))
