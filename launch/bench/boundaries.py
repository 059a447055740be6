"""The boundaries that a message crosses on its way from core to core: how often, counted in running cores.

A core process with a `BoundaryCounter` counts calls of the product's own functions; without one it has none of this.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from emu.core.engines.core import Core
from emu.noc.between_processes.driver import SampleLog
from emu.noc.ports.port import FlowControl
from emu.noc.watch.board import ActivityRow, BoardRow
from emu.noc.wire import frames
from emu.noc.wire.library import MORE
from emu.noc.wire.zeromq.library import ZeroMqSocket
from emu.program.program import Program
from launch.bench.core_clock import ClockTally, SampleLines
from launch.processes.observer import Observation, ProcessObserver

SENT, RECEIVED, THREADS, HEADER = "frame sent", "frame received", "message carried", "header"
FITS, BOARD, REQUEST, COPY = "check", "status board", "request", "copy"
Calls = tuple[tuple[Any, str], ...]
# Names of boundaries, and the functions whose calls count: of classes, or of modules, wherever they are known.
BOUNDARIES: Mapping[str, Calls] = {
    SENT: ((ZeroMqSocket, "send"), (ZeroMqSocket, "lend")),
    THREADS: ((ZeroMqSocket, "send"), (ZeroMqSocket, "lend")),  # but of its last frame alone
    RECEIVED: ((ZeroMqSocket, "recv"), (ZeroMqSocket, "recv_into")),
    HEADER: ((frames, "pack_header"),),
    FITS: ((FlowControl, "fits"),),
    BOARD: tuple((row, name) for row in (ActivityRow, BoardRow) for name in vars(row) if not name.startswith("_")),
    REQUEST: ((Core, "complete"),),
    COPY: ((ZeroMqSocket, "recv_frame"),),
}


class BoundaryCounter(ProcessObserver):
    """Counts calls at all boundaries; lines about the samples of each core go to the folder `values`."""

    early = False

    def begins(self, core: int) -> None:
        """Begin to count."""
        self._tally = ClockTally()
        for name, functions in BOUNDARIES.items():
            for owner, attribute in functions:
                _count(owner, attribute, self._tally.calls, name, _is_last if name == THREADS else _is_any)

    def log(self, core: int, log: SampleLog) -> SampleLog:
        """Lines about what was counted."""
        return SampleLines(Path(self.values) / f"core_{core:04d}.jsonl", self._tally)


class Counting(Observation):
    """A run whose cores count at boundaries, and write that into `folder`, which exists."""

    observer = BoundaryCounter

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def plan(self, programs: Mapping[int, Program]) -> str:
        """The folder for the observer."""
        return str(self._folder.resolve())

    def last_sample(self) -> dict[str, int]:
        """Calls by all cores in the last sample that they have finished, by boundary."""
        found = dict.fromkeys(BOUNDARIES, 0)
        for file in self._folder.glob("core_*.jsonl"):
            before, last = (json.loads(line)["calls"] for line in file.read_text().splitlines()[-2:])
            for name in found:
                found[name] += last.get(name, 0) - before.get(name, 0)
        return found


def _is_any(*_arguments: Any, **_named: Any) -> bool:
    return True


def _is_last(_socket: Any, _data: Any, flags: int = 0, **_named: Any) -> bool:
    return not flags & MORE


def _count(owner: Any, attribute: str, calls: dict[str, int], name: str, counts: Callable[..., bool]) -> None:
    function: Callable[..., Any] = getattr(owner, attribute)

    def counted(*arguments: Any, **named: Any) -> Any:
        calls[name] += counts(*arguments, **named)
        return function(*arguments, **named)

    places = [owner] if isinstance(owner, type) else list(sys.modules.values())
    for place in places:
        if isinstance(owner, type) or vars(place).get(attribute) is function:
            setattr(place, attribute, counted)
