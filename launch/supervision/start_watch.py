"""Notices a run that cannot start: members wait for each other, and nothing moves any more."""

from __future__ import annotations

import time
from collections.abc import Iterable

from emu.noc.watch.board import Board
from emu.noc.watch.joining import Joining, joining, waits
from emu.noc.wire.transports import TRANSPORTS
from launch.processes.machine import Machine
from launch.supervision.errors import NeverStarted
from launch.system.process_state import Rest, at_rest

PATIENCE = (
    4.0  # seconds without any movement, and twice the grace time of the transport, before processes are looked at
)
SAYINGS = 3  # how often everybody must have said in vain what was not answered
ROUNDS = 8  # more than the threads that a word and its answer go through, one after the other


class StartWatch:
    """Reports it once nothing that was said can be on its way any more, however busy the machine is.

    Everybody who waits has said again what was not answered; then every process has been seen asleep `ROUNDS` times,
    one round after the other: in each round what is on its way gets on by a thread at least. Who says nothing at all
    must not have run meanwhile. A process that is stopped is never seen asleep.
    """

    def __init__(self, machine: Machine, transport: str) -> None:
        self._machine, self._patience = machine, PATIENCE + 2 * TRANSPORTS[transport].grace
        self._first: Joining | None = None  # since when nothing has moved
        self._since = 0.0
        self._rounds = 0
        self._awake: set[int] = set()  # not seen asleep yet in this round
        self._rest: Rest | None = None  # of those who say nothing

    def look(self) -> NeverStarted | None:
        """The error if the run can never start, or None; call it again and again."""
        board = self._machine.board
        now = joining(board)
        if now is None or self._first is None or now.moved != self._first.moved:
            self._first, self._since = now, time.monotonic()
            self._begin()
        elif time.monotonic() - self._since >= self._patience and self._said_again(now):
            return self._judge(board, now)
        return None

    def _begin(self) -> None:
        self._rounds, self._awake, self._rest = 0, set(), None

    def _said_again(self, now: Joining) -> bool:
        assert self._first is not None
        return bool(((now.said - self._first.said)[now.saying] >= SAYINGS).all())

    def _judge(self, board: Board, now: Joining) -> NeverStarted | None:
        rest = at_rest(now.unseen)
        if rest is None or (self._rest is not None and rest != self._rest):
            self._begin()  # somebody who says nothing runs: it loads, or is about to speak
            return None
        self._rest = rest
        if not self._awake:
            if self._rounds == ROUNDS:
                return NeverStarted(waits(board))
            self._rounds, self._awake = self._rounds + 1, set(self._processes()) - set(now.unseen)
        self._awake = {process for process in self._awake if at_rest([process]) is None}
        return None

    def _processes(self) -> Iterable[int]:
        return [*self._machine.helpers.values(), *self._machine.forked()]
