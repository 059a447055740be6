"""The boundaries that a message crosses on its way from core to core: how often, counted in running cores.

A core process with a `BoundaryCounter` counts calls of the product's own functions; without one it has none of this.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from emu.core.engines.core import Core
from emu.noc.ports.port import FlowControl
from emu.noc.watch.board import ActivityRow, BoardRow
from emu.noc.wire import frames
from emu.noc.wire.library import MORE
from emu.noc.wire.zeromq.library import ZeroMqSocket
from launch.bench.core_clock import Tallied, TallyObserver

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


class BoundaryCounter(TallyObserver):
    """Counts calls at all boundaries."""

    def begins(self, core: int) -> None:
        """Begin to count."""
        super().begins(core)
        for name, functions in BOUNDARIES.items():
            for owner, attribute in functions:
                _count(owner, attribute, self.tally.calls, name, _is_last if name == THREADS else _is_any)


def last_calls(counted: Tallied) -> dict[str, int]:
    """Calls by all cores in the last sample that they have finished, by boundary."""
    pairs = [[line["calls"] for line in lines[-2:]] for lines in counted.lines().values()]
    return {name: sum(last.get(name, 0) - before.get(name, 0) for before, last in pairs) for name in BOUNDARIES}


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
