"""Reads the status board: which cores are certainly blocked, on which others, and what every core is doing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from emu.core.trap import INIT_SAMPLE
from emu.noc.deadlock.loss import Loss
from emu.noc.deadlock.place import ProgramPlace, place_of
from emu.noc.deadlock.waitfor import Blocked, DeadlockReport, Direction, find_deadlock
from emu.noc.traffic.traffic import event_sources
from emu.noc.watch.board import SECTIONS, Activity, Board, BoardWord, among
from emu.noc.watch.joining import JOINING, phrase_of_node
from emu.program.program import Program
from emu.wording import core_name

_DIRECTIONS = {Activity.SEND: Direction.SEND, Activity.RECV: Direction.RECV, Activity.WAIT: Direction.WAIT}
_blocked_at, _standing_at = among(_DIRECTIONS), among([*_DIRECTIONS, Activity.IDLE])
_PHRASES = {
    Activity.STARTING: "was starting",
    Activity.BINDING: "waited for the addresses of its peers",
    Activity.GREETING: "waited until {peer} answers its greeting",
    Activity.READY: "waited for the start",
    Activity.RUNNING: "was computing after",
    Activity.SEND: "waited until {peer} takes message {index} at",
    Activity.RECV: "waited for message {index} from {peer} at",
    Activity.WAIT: "waited for event {index} at",
    Activity.LOAD: "waited for global memory at",
    Activity.STORE: "waited for global memory at",
    Activity.TRAPPED: "trapped at",
}
ALL_SAMPLES = sys.maxsize  # in place of the last of them


class Overdue(NamedTuple):
    """Cores that wait, with their rows, and the rows of all cores at that moment."""

    waiting: list[tuple[int, list[int]]]
    rows: bytes


class _Look(NamedTuple):
    """What a look has seen: the rows of all cores, and then of each how many syncs had come that did not suffice."""

    rows: np.ndarray
    events: np.ndarray

    @classmethod
    def at(cls, board: Board) -> _Look:
        return cls(board.standing(), board.events.copy())


class Watch:
    """Looks at the board now and then; `programs` are read only to name what was found, `name` tells who did it.

    The board may be a copy, each part of it of another moment, if all that it says at one look was read after the look
    before. Then a core whose row has not changed was blocked at the end of that look, and all such cores at once.
    """

    def __init__(self, board: Board, programs: Mapping[int, Program], name: Callable[[int], str] = core_name) -> None:
        self._board, self._programs, self._name = board, programs, name
        self._syncers = event_sources(programs)
        self._before = self._last = _Look.at(board)

    def settled(self) -> int:
        """The last sample that every core has finished or can never go on in, as far as the last two looks tell.

        All that goes wrong in it, or before, has gone wrong: what is said of it does not depend on who was faster.
        INIT_SAMPLE - 1 if there is none, ALL_SAMPLES if no core can go on at all.
        """
        resting = {core for core, row in self._stalled(self._before.rows).items() if self._confirmed(core, row)}
        going_on = self._board.rows[:, BoardWord.ACTIVITY] != Activity.TRAPPED
        going_on &= ~np.isin(self._board.cores, list(resting))
        finished = self._before.rows[going_on, BoardWord.FINISHED]  # what `deadlock` knows of
        return int(finished.min()) - 2 if finished.size else ALL_SAMPLES  # `init` is counted, and the first sample is 0

    def deadlock(self) -> DeadlockReport | None:
        """A deadlock among cores that have not moved since the last look, with nothing in flight between them.

        A row that is the same before and after the counters were read stood still meanwhile, so the counters
        of such cores are those of one moment.
        """
        self._before, before = self._last, self._last.rows
        confirmed = {core: row for core, row in self._stalled(before).items() if self._confirmed(core, row)}
        self._last = _Look.at(self._board)
        if not confirmed:
            return None
        still = self._stalled(before)
        blocked = {core: _blocked(core, row) for core, row in confirmed.items() if core in still}
        report = find_deadlock(blocked, self._halted(before), self._syncers)
        if report is None:
            return None
        named = (replace(edge, place=self._named(edge.core, edge.place)) for edge in report.edges)
        return replace(report, edges=tuple(named))

    def place(self, core: int) -> ProgramPlace | None:
        """Where `core` stands, or stood last; None if it has not begun, or has no program."""
        if core not in self._board.place:
            return None
        row: list[int] = self._board.standing()[self._board.place[core]].tolist()
        return None if row[BoardWord.ACTIVITY] in JOINING else self._named(core, _place(row))

    def unfinished(self, stopped: Collection[int] = ()) -> list[str]:
        """What each core does that has not finished its sample, as text, but those that are `stopped`."""
        rows = zip(self._board.cores, self._board.standing().tolist(), strict=True)
        node = self._board.node.tolist()
        first = [phrase_of_node(node, self._name)] if node[BoardWord.ACTIVITY] in JOINING else []
        return first + [
            self._describe(core, row)
            for core, row in rows
            if core not in stopped and Activity(row[BoardWord.ACTIVITY]) in _PHRASES
        ]

    def overdue(self) -> Overdue | None:
        """The cores that wait for what, by the counters of its sender, has been sent; None if some core may go on.

        If these stay the same for long and no process runs, what they wait for was lost: see `losses`.
        """
        board = self._board
        rows = board.standing()
        if not _standing_at(rows[:, BoardWord.ACTIVITY]).all():
            return None
        blocked = [
            (core, row)
            for core, row in zip(board.cores, rows.tolist(), strict=True)
            if row[BoardWord.ACTIVITY] in _DIRECTIONS and not self._confirmed(core, row)
        ]
        if not blocked:
            return None
        return Overdue(blocked, rows.tobytes())

    def losses(self, overdue: Overdue) -> list[Loss]:
        """What got lost, if nothing of it is on its way any more; reads programs to name places."""
        return [self._loss(core, row) for core, row in overdue.waiting]

    def _loss(self, core: int, row: list[int]) -> Loss:
        edge = _blocked(core, row)
        edge = replace(edge, index=edge.index if edge.direction is Direction.WAIT else row[BoardWord.NEED] - 1)
        edge = replace(edge, place=self._named(core, edge.place))
        return Loss(edge, self.place(edge.peer) if edge.peer >= 0 else None)

    def _describe(self, core: int, row: list[int]) -> str:
        activity = Activity(row[BoardWord.ACTIVITY])
        phrase = _PHRASES[activity].format(peer=self._name(row[BoardWord.PEER]), index=row[BoardWord.INDEX])
        where = "" if activity in JOINING else f" {self._named(core, _place(row))}"
        return f"{self._name(core)} {phrase}{where}"

    def _stalled(self, before: np.ndarray) -> dict[int, list[int]]:
        """Rows of blocked cores that have not changed since `before`."""
        now = self._board.standing()
        same = (now[:, BoardWord.CHANGES] == before[:, BoardWord.CHANGES]) & (now[:, BoardWord.CHANGES] % 2 == 0)
        same &= _blocked_at(now[:, BoardWord.ACTIVITY])
        return {self._board.cores[k]: now[k].tolist() for k in np.nonzero(same)[0].tolist()}

    def _confirmed(self, core: int, row: list[int]) -> bool:
        """Whether neither a matching message nor an acknowledgement is on its way to `core`."""
        board, own = self._board, self._board.place[core]
        activity = row[BoardWord.ACTIVITY]
        if activity == Activity.WAIT:
            return int(board.synced[:, own].sum()) == int(self._before.events[own])
        peer = board.place[row[BoardWord.PEER]]
        count = board.sent[peer, own] if activity == Activity.RECV else board.taken[peer, own]
        return int(count) < row[BoardWord.NEED]

    def _halted(self, before: np.ndarray) -> dict[int, int]:
        """The last sample that each core had finished `before`: in it, or an earlier one, it wakes nobody any more."""
        return dict(zip(self._board.cores, (before[:, BoardWord.FINISHED] - 2).tolist(), strict=True))

    def _named(self, core: int, place: ProgramPlace) -> ProgramPlace:
        """`place` with instruction and node, for which the program must be read."""
        return place_of(self._programs[core], place.section, place.index, place.counters, place.sample)


def _blocked(core: int, row: list[int]) -> Blocked:
    direction = _DIRECTIONS[Activity(row[BoardWord.ACTIVITY])]
    return Blocked(core, direction, row[BoardWord.PEER], row[BoardWord.INDEX], _place(row))


def _place(row: list[int]) -> ProgramPlace:
    """Where a core stands, without instruction and node."""
    counters = tuple(row[BoardWord.COUNTERS : BoardWord.COUNTERS + row[BoardWord.DEPTH]])
    section = SECTIONS[row[BoardWord.SECTION]]
    return ProgramPlace(
        section, row[BoardWord.AT], "", counters, row[BoardWord.SAMPLE] if section == "main" else INIT_SAMPLE, ""
    )
