"""Copies of the part of a board that a machine's cores write, as they travel to the launcher: changed words alone."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from emu.errors import InputError
from emu.noc.watch.board import Board
from emu.noc.watch.part import BoardPart

WORD = np.dtype("<i8")
PIECE = 1 << 16  # words of a message


class SnapshotSender:
    """At the agent: what has changed in `part` since the last time."""

    def __init__(self, part: BoardPart) -> None:
        self._part = part
        self._sent = np.zeros(part.words.size, np.int64)

    def pieces(self, asked: int) -> Iterator[dict[str, Any]]:
        """The messages of a copy that is taken now, because of question number `asked` (0: of none)."""
        values = self._part.read()
        (changed,) = np.nonzero(values != self._sent)
        self._sent = values
        for begin in range(0, max(1, changed.size), PIECE):
            at = changed[begin : begin + PIECE]
            yield {
                "asked": asked,
                "words": self._part.words[at].astype(WORD).tobytes(),
                "values": values[at].astype(WORD).tobytes(),
                "last": begin + PIECE >= changed.size,
            }


class SnapshotReceiver:
    """At the launcher: asks `who` for copies by `ask`, given the number of the question, one after the other."""

    def __init__(self, ask: Callable[[int], None], who: str = "a host") -> None:
        self._ask, self._who = ask, who
        self._number, self._open = 0, False  # the last question; whether it has no answer yet
        self._asked = self._known = -math.inf  # when it was asked; the same of the one whose answer is there
        self._pieces: list[tuple[np.ndarray, np.ndarray]] = []  # of the copy that is coming
        self._whole: list[tuple[np.ndarray, np.ndarray]] = []  # of copies that are there

    def take(self, asked: int, words: bytes, values: bytes, last: bool) -> None:
        """A message of `SnapshotSender`; raises InputError if it is none."""
        if len(words) % WORD.itemsize or len(words) != len(values):
            raise InputError(f"{self._who} has sent a damaged copy of its status board: is it another version?")
        self._pieces.append((np.frombuffer(words, WORD), np.frombuffer(values, WORD)))
        if last:
            self._whole += self._pieces
            self._pieces = []
            if asked == self._number and self._open:
                self._known, self._open = self._asked, False

    def update(self, board: Board) -> float:
        """Write all copies that are there to `board`, and ask for the next: when the last of them was asked for."""
        whole, self._whole = self._whole, []
        for words, values in whole:
            if words.size and not 0 <= words.min() <= words.max() < board.layout.end:
                raise InputError(f"{self._who} has sent a copy of another status board: is it another version?")
            board.flat[words] = values
        if not self._open:
            self._number, self._open, self._asked = self._number + 1, True, time.monotonic()
            self._ask(self._number)
        return self._known
