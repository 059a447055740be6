"""Runs one core alone, again, with what it was sent and what it loaded, and looks at its memory between statements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from emu.core.engines.core import Core
from emu.core.products.threads import one_blas_thread
from emu.core.progress import Progress
from emu.core.request import Capture, Load, Recv, Request
from emu.core.trap import CoreTrap
from emu.debug.moment import CoreMoment, restore_core, save_core
from emu.image.reader import Image
from emu.isa.dtypes import DType
from emu.program.form import Form
from emu.program.program import BufferSpec
from launch.bisect.recording import RecordedMessage, SampleRecording
from launch.bisect.statements import CoreStatements

MOST = 1 << 29  # bytes of memory that are looked at: of larger programs fewer moments are


@dataclass(frozen=True, eq=False)
class Replay:
    """The memory of one core, uint8 [top], before each statement that it came to, by the index of that statement.

    `spoilt` are bytes [top] that `init` has left, and that samples before this one have changed.
    """

    memory: dict[int, np.ndarray]
    spoilt: np.ndarray

    def before(self, index: int) -> np.ndarray | None:
        """The memory as it stood before the statement at `index`, if it was looked at."""
        return self.memory.get(index)


class CoreReplayer:
    """One core that runs alone, as often as is asked for: what it has planned for its loops serves every time.

    Its memory is looked at before each statement; with `only`, before that one alone.
    """

    def __init__(
        self, image: Image, statements: CoreStatements, recording: SampleRecording, engine: str, only: int | None = None
    ) -> None:
        program, top = statements.program, statements.top
        indices = statements.indices if only is None else [only]
        self._looks = indices[-max(2, MOST // max(top, 1)) :]
        probes = tuple(_probe(top, index) for index in self._looks)
        looked = replace(program, buffers=probes)
        self._core = Core(looked, image.arch, image.weights(program.core), engine, range(len(probes)))
        self._number, self._recording, self._top = program.core, recording, top
        self._start: CoreMoment | None = None  # where the recorded sample begins
        self._spoilt = np.zeros(top, np.bool_)

    def replay(self, instead: Mapping[int, RecordedMessage] = MappingProxyType({})) -> Replay:
        """Run for the recorded sample, as far as its messages reach.

        `instead` are messages that it gets in place of others, by their `id`.
        """
        found = dict[int, np.ndarray]()
        with one_blas_thread(), suppress(CoreTrap, _Ended):  # it came no further in the recorded run, either
            if self._start is None:
                self._run("init", found, {})
                self._start = self._begun()
            self._stand(self._start)
            self._run("main", found, instead)
        return Replay(found, self._spoilt)

    def _begun(self) -> CoreMoment:
        """Where the recorded sample begins: behind `init`, or behind the samples before it."""
        memory, start = self._core.memory, self._recording.starts.get(self._number)
        if start is None:
            return save_core(self._core)
        left, known = memory.data[: self._top].copy(), memory.defined[: self._top].copy()
        self._stand(start)
        self._spoilt = known & (left != memory.data[: self._top])
        return start

    def _stand(self, moment: CoreMoment) -> None:
        """Put memory, registers and crossbars there; the section that runs next begins anew."""
        section = self._core.state.position.section
        ended = replace(moment, index=len(self._core.state.section), counters=())
        restore_core(self._core, section, self._recording.sample, ended)

    def _run(self, section: str, found: dict[int, np.ndarray], instead: Mapping[int, RecordedMessage]) -> None:
        core, recording = self._core, self._recording
        incoming = {
            src: iter([instead.get(id(message), message).data for message in messages])
            for (src, dst), messages in recording.messages.items()
            if dst == self._number
        }
        loads = iter(recording.loads.get(self._number, ()))
        core.begin(section, 0 if section == "init" else recording.sample)
        while (step := core.advance()) is not Progress.HALTED:
            if isinstance(step, Progress):
                continue
            if isinstance(step, Capture):
                found[self._looks[step.buffer]] = np.frombuffer(bytes(step.data), np.uint8)
                if len(found) == len(self._looks):
                    return
            elif section == "main":
                _answer(step, incoming, loads)
            core.complete(step)


class _Ended(Exception):
    """The recorded run ended here."""


def _probe(top: int, index: int) -> BufferSpec:
    form = Form((top,), (top, 1, 1), ("C",))
    return BufferSpec("", form, form.whole, DType.u8, 0, index)


def _answer(request: Request, incoming: Mapping[int, Iterator[bytes]], loads: Iterator[bytes]) -> None:
    """Give the core what it got in the recorded run; raises _Ended where that ended."""
    if isinstance(request, Recv):
        data = next(incoming.get(request.peer, iter(())), None)
    elif isinstance(request, Load):
        data = next(loads, None)
    else:
        return
    if data is None or len(data) != len(request.into):  # a message of another size is a trap
        raise _Ended
    request.into[:] = data
