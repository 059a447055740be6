"""The part of a board that some cores write: read at one moment, to be carried to a board in other memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from emu.noc.traffic.traffic import Peers
from emu.noc.watch.board import MAX_SAMPLES, ROW, Board, BoardWord


class BoardPart:
    """What the cores of `peers` write to `board`, of those that they exchange messages with, and the memory node if
    `node`.

    `words` are the numbers of these words, ascending in each group: rows first, then counters. They are the same on
    every board of the run.
    """

    def __init__(self, board: Board, peers: Mapping[int, Peers], node: bool = False) -> None:
        self._board = board
        own = np.array([board.place[core] for core in peers], np.int64)
        layout, count = board.layout, len(board.cores)
        self._rows = _blocks(layout.rows, own, ROW)
        pairs = [
            part + board.place[core] * count + _places(board, others)
            for core, each in peers.items()
            for part, others in (
                (layout.sent, each.outgoing),
                (layout.taken, each.incoming),
                (layout.synced, each.outgoing),
            )
        ]
        whole = [layout.events + own, _blocks(layout.balances, own, MAX_SAMPLES)]
        ours = [np.arange(layout.horizon, layout.end)] if node else []
        self._counters = np.concatenate([*pairs, *whole, *ours])
        self.words = np.concatenate([self._rows, self._counters])

    def read(self) -> np.ndarray:
        """The values of `words` (int64), those of a row and of the counters that its core writes of one moment.

        A row that changes meanwhile says that it is being written. What a row claims has been counted: counters are
        read after it.
        """
        flat = self._board.flat
        rows = flat[self._rows].reshape(-1, ROW)
        counters = flat[self._counters]
        rows[:, BoardWord.CHANGES] |= rows[:, BoardWord.CHANGES] != flat[self._rows[::ROW]]
        return np.concatenate([rows.reshape(-1), counters])


def _blocks(begin: int, places: np.ndarray, size: int) -> np.ndarray:
    """The words of blocks of `size` words, one for each of `places`, of a part that begins at word `begin`."""
    return (begin + places[:, None] * size + np.arange(size)).reshape(-1)


def _places(board: Board, cores: Collection[int]) -> np.ndarray:
    return np.array(sorted(board.place[core] for core in cores if core in board.place), np.int64)
