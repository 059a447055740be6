"""The memory node's sample clock: on the board it sees that cores have finished, and says which samples may begin.

It looks when a message comes: a core sends one only if it has stored something, or must wait (`MemoryLink.end`), and in
the end all cores ask for inputs, so no look is missed.
"""

from __future__ import annotations

from emu.noc.watch.board import MAX_SAMPLES, Board, BoardWord

USED_EVENTS = 1 << 40  # added to what is left over if events were used


class SampleClock:
    """How far the cores are. All cores finish `init`, then one sample after the other."""

    def __init__(self, board: Board) -> None:
        self._board, self._finished = board, board.rows[:, BoardWord.FINISHED]

    def allow(self, samples: int) -> None:
        """`samples` samples may begin."""
        self._board.horizon[0] = samples

    @property
    def powered(self) -> bool:
        """Whether all cores have finished `init`."""
        return bool((self._finished > 0).all())

    @property
    def finished(self) -> int:
        """The number of samples that all cores have finished (of those that may begin)."""
        return max(0, int(self._finished.min(initial=self._board.horizon[0] + 1)) - 1)

    def unsettled(self, sample: int) -> bool:
        """Whether messages are left over at the end of `sample`, which all have finished, or syncs may be."""
        return bool(self._board.balances[:, sample % MAX_SAMPLES].sum())
