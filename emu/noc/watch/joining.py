"""Reads from the status board how far the members of a run are with joining it, and who waits for whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from emu.noc.watch.board import Activity, Board, BoardWord, among
from emu.wording import core_name, counted

SAYING = (Activity.BINDING, Activity.GREETING, Activity.READY)  # what is not answered is said again and again
JOINING = (Activity.STARTING, *SAYING)
_says, _joins = among(SAYING), among(JOINING)
PHRASES = {
    Activity.STARTING: "has not said yet where it listens",
    Activity.BINDING: "waits for the addresses of its peers",
    Activity.GREETING: "waits until {peer} answers its greeting",
    Activity.READY: "waits for the start",
}
NODE = {Activity.BINDING: "the memory node waits for {who} to join", Activity.READY: "the memory node waits for {who}"}
_SEVERAL = 4  # cores that are named


class JoinProgress(NamedTuple):
    """What the board says at one moment.

    `moved` is equal as long as nobody gets on, `said` (per core with a program) how often each has said what was not
    answered, `saying` which of them do so, and `unseen` the cores that say nothing although their processes run.
    """

    moved: bytes
    said: np.ndarray
    saying: np.ndarray
    unseen: list[int]


def joining(board: Board) -> JoinProgress | None:
    """How far all are; None once every core has begun, and the memory node has opened the barrier."""
    rows, node = board.rows.copy(), board.node.copy()
    if node[BoardWord.ACTIVITY] == Activity.RUNNING and not _joins(rows[:, BoardWord.ACTIVITY]).any():
        return None
    saying = _says(rows[:, BoardWord.ACTIVITY])
    unseen = [board.cores[k] for k in np.nonzero(~saying & (rows[:, BoardWord.PROCESS] != 0))[0].tolist()]
    said, rows[:, BoardWord.SAID] = rows[:, BoardWord.SAID].copy(), 0
    return JoinProgress(rows.tobytes() + node[BoardWord.ACTIVITY : BoardWord.NEED].tobytes(), said, saying, unseen)


def waits(board: Board, name: Callable[[int], str] = core_name) -> list[str]:
    """Who waits for whom, as sentences: the memory node, and then cores, those first that all others wait for.

    `name` tells what a core is called.
    """
    node = board.node.tolist()
    rows = dict(zip(board.cores, board.rows.tolist(), strict=True))
    told = [phrase_of_node(node, name)] if node[BoardWord.ACTIVITY] != Activity.RUNNING else []
    for activity in (Activity.STARTING, Activity.GREETING, Activity.BINDING, Activity.READY):
        chosen = {core: row for core, row in rows.items() if row[BoardWord.ACTIVITY] == activity}
        told += _phrases(activity, chosen, name)
    return told


def phrase_of_node(node: list[int], name: Callable[[int], str]) -> str:
    """What the memory node does until the start; `name` tells what a core is called."""
    activity = Activity(node[BoardWord.ACTIVITY])
    if activity not in NODE:
        return "the memory node has not said yet where it listens"
    first, others = node[BoardWord.PEER], node[BoardWord.INDEX] - 1
    who = "the launcher" if first < 0 else name(first)
    more = f" and {others} more" if others else ""
    return NODE[activity].format(who=who + more)


def _phrases(activity: Activity, rows: dict[int, list[int]], name: Callable[[int], str]) -> Iterator[str]:
    for core, row in list(rows.items())[:_SEVERAL]:
        others = row[BoardWord.INDEX] - 1 if activity == Activity.GREETING else 0
        yield f"{name(core)} {PHRASES[activity].format(peer=name(row[BoardWord.PEER]))}" + (
            f", and {others} more" if others else ""
        )
    if len(rows) > _SEVERAL:
        yield f"so {'does' if len(rows) == _SEVERAL + 1 else 'do'} {counted(len(rows) - _SEVERAL, 'more core')}"
