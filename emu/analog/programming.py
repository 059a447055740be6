"""The cells of an array group: programmed, aged, and seen through the wires that lead to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from emu.analog.cells.cells import cells_of
from emu.analog.wires import effective, gated_currents, has_wires
from emu.arch import Arch
from emu.arch.analog import G_MAX_US
from emu.draws import generator

Place = tuple[int, int, int]  # core, group, trial
# Rows that were programmed later, among which rows at once, and what made them so.
Written = Sequence[tuple[slice, slice, Sequence[int | str]]]


@dataclass(frozen=True, slots=True)
class Side:
    """The cells of one side of a slice [rows, columns]: conductances as programmed, and at reading time."""

    programmed: np.ndarray
    aged: np.ndarray


class Programming:
    """What programs the cells of a group at a place, in arrays of `row_tiles` rows and `col_tiles` columns.

    Random numbers depend on the seed, the place, the slice and side, and for rows that were `written` later on what
    they come from. Int64 [rows]: the `cells` of a row, the `pulses` that they took, and the `most` that one of them
    took: arrays that stand beside each other are programmed at once, so that is how often the row was.
    """

    def __init__(
        self, arch: Arch, place: Place, written: Written, row_tiles: Sequence[int], col_tiles: Sequence[int]
    ) -> None:
        self.model = cells_of(arch)
        self.cells, self.pulses, self.most = np.zeros((3, sum(row_tiles)), np.int64)
        self._arch, self._place, self._written = arch, place, written
        self._row_tiles, self._col_tiles = row_tiles, col_tiles
        self.wired = has_wires(arch.wires)
        self.ohm = 1e6 / (arch.device.g_max_us or G_MAX_US)  # of a cell of the highest conductance

    @property
    def exact(self) -> bool:
        """Whether currents are those of cells that are as they should be."""
        return self.model.exact and not self.wired

    def side(self, number: int, side: int, target: np.ndarray) -> Side:
        """One side of slice `number`, programmed to conductances `target` [rows, columns]."""
        model = self.model
        if model.exact:
            self._count(np.ones(target.shape, np.int64))
            return Side(target, target)
        core, group, trial = self._place
        named = (trial, core, group, number, side)

        def draw(what: str, *more: int | str) -> np.random.Generator:
            return generator(self._arch.draws.seed or 0, what, *named, *more)

        stuck = model.stuck(target.shape, draw("stuck"))
        programmed, pulses = model.programmed(target, draw("program"), stuck)
        for rows, among, origin in self._written:
            # What was programmed with them is drawn, too, though it has become something else: they stay as they are.
            at = None if stuck is None else stuck[among]
            kept = slice(rows.start - among.start, rows.stop - among.start)
            made, took = model.programmed(target[among], draw("write", *origin), at)
            programmed[rows], pulses[rows] = made[kept], took[kept]
        self._count(pulses)
        aged = model.aged(target, programmed, draw("age"), stuck)
        return Side(programmed, aged)

    def _count(self, pulses: np.ndarray) -> None:
        self.cells += pulses.shape[1]
        self.pulses += pulses.sum(axis=1)
        self.most = np.maximum(self.most, pulses.max(axis=1, initial=0))

    def effective(self, cells: Sequence[np.ndarray], minus: Sequence[np.ndarray] | None = None) -> Sequence[np.ndarray]:
        """Conductances [rows, columns] that give, without wires, the currents of the cells of each slice.

        `minus`: of pairs in columns. Slices that stand side by side in one crossbar share its word lines: the cells of
        a weight are neighbours. Where inputs switch cells (`emu.analog.wires.gated_currents`) these are the cells.
        """
        if not self.wired or self._arch.wires.gated:
            return cells if minus is None else [one - other for one, other in zip(cells, minus, strict=True)]
        result = [np.empty_like(each) for each in cells]
        together = self._arch.side_by_side(len(cells))
        for index in self.arrays():
            for some in (slice(first, first + together) for first in range(0, len(cells), together)):
                other = None if minus is None else _side_by_side(minus[some], index)
                array = _side_by_side(cells[some], index)
                array = effective(array, self._arch.wires, self.ohm, other, self._arch.crossbar.rows)
                for number, each in enumerate(result[some]):
                    each[index] = array[:, number :: len(cells[some])]
        return result

    def gated(self, rows: slice, on: np.ndarray, cells: np.ndarray, minus: np.ndarray | None = None) -> np.ndarray:
        """Currents [vectors, columns] of `rows` of cells [rows, columns] that inputs `on` [vectors, rows] switch."""
        result = np.empty((len(on), cells.shape[1]))
        for index, columns in self.arrays():
            if index.start <= rows.start and rows.stop <= index.stop:
                around = (rows.start - index.start, index.stop - rows.stop)  # rows that are off
                other = None if minus is None else minus[index, columns]
                whole = np.pad(on, ((0, 0), around))
                result[:, columns] = gated_currents(
                    cells[index, columns], self._arch.wires, self.ohm, whole, other, self._arch.crossbar.rows
                )
        return result

    def arrays(self) -> Iterator[tuple[slice, slice]]:
        """The rows and columns of each array."""
        top = 0
        for rows in self._row_tiles:
            left = 0
            for cols in self._col_tiles:
                yield slice(top, top + rows), slice(left, left + cols)
                left += cols
            top += rows


def _side_by_side(slices: Sequence[np.ndarray], index: tuple[slice, slice]) -> np.ndarray:
    """The array at `index` [rows, columns x slices]: the cells of a weight in all `slices`, weight by weight."""
    return np.stack([each[index] for each in slices], axis=-1).reshape(index[0].stop - index[0].start, -1)
