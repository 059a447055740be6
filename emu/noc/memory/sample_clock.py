"""The memory node's end of the board: it sees there that cores have finished, and says which samples may begin.

It looks when a message comes: the last core that finishes a sample sends one (`MemoryLink.end`), so no look is missed.
Cores on other machines have another board: they send one at the end of every sample, and it is written to this board in
their place.
"""

from __future__ import annotations

from emu.noc.watch.board import MAX_SAMPLES, Board, BoardWord

USED_EVENTS = 1 << 40  # added to what is left over if events were used


class SampleClock:
    """How far the cores are. All cores finish `init`, then one sample after the other."""

    def __init__(self, board: Board) -> None:
        self._board, self._finished = board, board.rows[:, BoardWord.FINISHED]
        self._elsewhere = {core: board.row(core) for core in board.cores if core in board.elsewhere}
        self._row = board.node_row()

    def hears(self, core: int, sample: int, left: int) -> None:
        """`core` says that it has finished `sample`, and what it leaves (see `Board`); others have written so."""
        if core in self._elsewhere:
            self._elsewhere[core].leaves(sample, left)
            self._elsewhere[core].idle(sample)

    def acknowledges(self, core: int, stores: int) -> bool:
        """Tell `core` that so many of its stores and captures are complete; False: it cannot see that here."""
        if core in self._elsewhere:
            return False
        self._row.acknowledges(core, stores)
        return True

    def refuses(self, core: int) -> None:
        """Tell `core`, if it can see it here, that its store is refused: a message says why."""
        if core not in self._elsewhere:
            self._row.refuses(core, 0)

    def allow(self, samples: int) -> None:
        """`samples` samples may begin: all who can see it are woken."""
        self._board.horizon[0] = samples
        for core in self._board.cores:
            if core not in self._elsewhere:
                self._row.wakes(core)

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
