"""Runs one core alone, again, with what it was sent and what it loaded, and looks at its memory between statements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from emu.core.engines.core import Core
from emu.core.progress import Progress
from emu.core.request import Capture, Load, Recv, Request
from emu.core.trap import CoreTrap
from emu.image.reader import Image
from emu.isa.dtypes import DType
from emu.program.form import Form
from emu.program.program import BufferSpec
from launch.bisect.recording import Message, Recording
from launch.bisect.statements import CoreStatements
from launch.system.threads import one_blas_thread

MOST = 1 << 29  # bytes of memory that are looked at: of larger programs fewer moments are


@dataclass(frozen=True, eq=False)
class Replay:
    """The memory of one core, uint8 [top], before each statement that it came to, by the index of that statement."""

    memory: dict[int, np.ndarray]

    def before(self, index: int) -> np.ndarray | None:
        """The memory as it stood before the statement at `index`, if it was looked at."""
        return self.memory.get(index)


def replay(
    image: Image,
    statements: CoreStatements,
    recording: Recording,
    engine: str,
    instead: Mapping[int, Message] = MappingProxyType({}),
    only: int | None = None,
) -> Replay:
    """Run the core of `statements` for the recorded sample, as far as its messages reach.

    `instead` are messages that it gets in place of others, by their `id`; with `only`, its memory is looked at before
    that statement alone.
    """
    program, top = statements.program, statements.top
    indices = statements.indices if only is None else [only]
    most = max(2, MOST // max(top, 1))
    probes = [_probe(top, index) for index in indices[-most:]]
    core = Core(
        replace(program, buffers=tuple(probes)), image.arch, image.weights(program.core), engine, range(len(probes))
    )
    found = dict[int, np.ndarray]()
    with one_blas_thread(), suppress(CoreTrap, StopIteration):  # it came no further in the recorded run, either
        _drive(core, program.core, recording, probes, found, instead)
    return Replay(found)


def _probe(top: int, index: int) -> BufferSpec:
    form = Form((top,), (top, 1, 1), ("C",))
    return BufferSpec("", form, form.whole, DType.u8, 0, index)


def _drive(
    core: Core,
    number: int,
    recording: Recording,
    probes: Sequence[BufferSpec],
    found: dict[int, np.ndarray],
    instead: Mapping[int, Message],
) -> None:
    incoming = {
        src: iter([instead.get(id(message), message) for message in messages])
        for (src, dst), messages in recording.messages.items()
        if dst == number
    }
    loads = iter(recording.loads.get(number, ()))
    for section in ("init", "main"):
        core.begin(section, 0 if section == "init" else recording.sample)
        while (step := core.advance()) is not Progress.HALTED:
            if isinstance(step, Progress):
                continue
            if isinstance(step, Capture):
                found[probes[step.buffer].complete] = np.frombuffer(bytes(step.data), np.uint8)
            elif section == "main":
                _answer(step, incoming, loads)
            core.complete(step)


def _answer(request: Request, incoming: Mapping[int, Iterator[Message]], loads: Iterator[bytes]) -> None:
    """Give the core what it got in the recorded run; raises StopIteration where that ended."""
    if isinstance(request, Recv):
        request.into[:] = next(incoming[request.peer]).data if request.peer in incoming else next(iter(()))
    elif isinstance(request, Load):
        request.into[:] = next(loads)
