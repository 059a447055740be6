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
Written = Sequence[tuple[slice, Sequence[int | str]]]  # rows that were programmed later, with what made them so


@dataclass(frozen=True, slots=True)
class Side:
    """The cells of one side of a slice [rows, columns]: conductances as programmed, at reading time, and wired."""

    programmed: np.ndarray
    aged: np.ndarray
    wired: np.ndarray


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
            return Side(target, target, self.effective(target))
        core, group, trial = self._place
        named = (trial, core, group, number, side)

        def draw(what: str, *more: int | str) -> np.random.Generator:
            return generator(self._arch.draws.seed or 0, what, *named, *more)

        stuck = model.stuck(target.shape, draw("stuck"))
        programmed, pulses = model.programmed(target, draw("program"), stuck)
        for rows, origin in self._written:
            at = None if stuck is None else stuck[rows]
            programmed[rows], pulses[rows] = model.programmed(target[rows], draw("write", *origin), at)
        self._count(pulses)
        aged = model.aged(target, programmed, draw("age"), stuck)
        return Side(programmed, aged, self.effective(aged))

    def _count(self, pulses: np.ndarray) -> None:
        self.cells += pulses.shape[1]
        self.pulses += pulses.sum(axis=1)
        self.most = np.maximum(self.most, pulses.max(axis=1, initial=0))

    def effective(self, cells: np.ndarray, minus: np.ndarray | None = None) -> np.ndarray:
        """Conductances [rows, columns] that give, without wires, the currents of cells; `minus`: of pairs in columns.

        Where inputs switch cells there are none (`emu.analog.wires.gated_currents`): these are the cells.
        """
        alone = bool(self._arch.wires.interleaved) and minus is None  # one side of what is asked for as pairs
        if not self.wired or self._arch.wires.gated or alone:
            return cells if minus is None else cells - minus
        result = np.empty_like(cells)
        for index in self.arrays():
            other = None if minus is None else minus[index]
            result[index] = effective(cells[index], self._arch.wires, self.ohm, other, self._arch.crossbar.rows)
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
