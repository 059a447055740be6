"""The sample clock on the status board: a core tells the node by message only if it has stored, or must wait."""

from __future__ import annotations

from emu.noc.watch.board import MAX_SAMPLES, Board, BoardRow, Word


class BoardNodeClock:
    """The memory node's end; it looks when a message comes, and in the end all cores ask for inputs."""

    def __init__(self, board: Board) -> None:
        self._board, self._finished = board, board.rows[:, Word.FINISHED]

    def ended(self, sample: int, left: int) -> None:
        """The board says so already."""

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
        """Whether messages are left over at the end of `sample`, or syncs may be."""
        return bool(self._board.balances[:, sample % MAX_SAMPLES].sum())


class BoardCoreClock:
    """A core's end, in its row."""

    def __init__(self, row: BoardRow) -> None:
        self._row = row

    def ends(self, sample: int, left: int) -> bool:
        """Write to the board how much the core leaves; its row says next that it has finished. No message is needed."""
        self._row.leaves(sample, left)
        return False

    def may_begin(self, sample: int) -> bool:
        """Whether the inputs of `sample` are there."""
        return self._row.may_begin(sample)

    def allowed(self, samples: int) -> None:
        """The board said so before."""
