"""Notices lost messages: nothing moves any more although, by the counters, a message or a sync is on its way."""

from __future__ import annotations

import time

from emu.noc.watch.watch import Watch
from emu.noc.wire.transports import TRANSPORTS
from launch.supervision.errors import MessageLost
from launch.system.process_state import Rest, at_rest


class Standstill:
    """Reports a loss once no core, and no thread of one, has moved for the whole grace time of the transport.

    On a busy machine time alone proves nothing. But a thread that can go on, because it computes or because something
    has arrived for it, does not sleep, and the kernel counts how often each thread has run.
    """

    def __init__(self, watch: Watch, transport: str) -> None:
        self._watch, self._grace = watch, TRANSPORTS[transport].grace
        self._rows = b""
        self._rest: Rest | None = None
        self._since = 0.0

    def look(self) -> MessageLost | None:
        """The error of a loss that is certain, or None; call it again and again."""
        overdue = self._watch.overdue()
        if overdue is None:
            self._rows = b""
            return None
        if self._rest is None or overdue.rows != self._rows:
            self._begin(overdue.rows)
        elif time.monotonic() - self._since >= self._grace:
            if self._rest == self._now():
                return MessageLost(self._watch.losses(overdue))
            self._begin(overdue.rows)
        return None

    def _begin(self, rows: bytes) -> None:
        """Begin to count: threads are looked at only once the board stood still from one look to the next."""
        self._rest = self._now() if rows == self._rows else None
        self._rows, self._since = rows, time.monotonic()

    def _now(self) -> Rest | None:
        return at_rest(self._watch.processes().values())
