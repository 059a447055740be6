"""The analog crossbar: products as cells, wires and converters give them, as the chip's description says."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np

from emu.analog.counts import PLACE, added, new_counts
from emu.analog.product import AnalogProduct
from emu.analog.programming import Written
from emu.arch import Arch
from emu.core.crossbars.kinds.ideal import IdealCrossbar
from emu.core.crossbars.origin import Origin
from emu.draws import vector_keys
from emu.program.group import GroupSpec


def make(spec: GroupSpec, arch: Arch, stacked: bool) -> AnalogCrossbar:
    """An array group of cells of this chip; how floats are rounded in ideal sums does not matter to it."""
    return AnalogCrossbar(spec, arch)


class CurrentObserver(Protocol):
    """Gets what an array group is given, and what its converters get."""

    def inputs(self, x: np.ndarray) -> None:
        """Vectors [vectors, rows]."""
        ...

    def currents(self, product: AnalogProduct, number: int, currents: np.ndarray) -> None:
        """Currents [vectors, columns] of slice `number` of the weights, in those of one cell."""
        ...


class AnalogCrossbar:
    """What `AnalogProduct` gives, for the weights that are held and the trial that the sample belongs to.

    Where no part of a description does anything, it is the ideal crossbar. Cells are programmed when they are first
    read: of rows that are written while the chip works, errors depend on where they come from.
    """

    def __init__(self, spec: GroupSpec, arch: Arch) -> None:
        self.spec = spec
        self._arch, self._ideal = arch, IdealCrossbar(spec)
        self._place = (0, 0)
        self._origins: dict[int, tuple[slice, tuple[int | str, ...]]] = {}  # of rows that were written, by row
        self._product: AnalogProduct | None = None
        self._trial = -1
        self._fresh = np.zeros(spec.rows, np.bool_)  # rows that a program has written since cells were programmed
        self.counts = new_counts()  # since power-on (`emu.analog.counts`): those of all products
        self._counted = self._watched = False
        self._observer: CurrentObserver | None = None

    def watch(self) -> None:
        """Count everything from now on, also what takes time."""
        self._watched = True
        if self._product is not None:
            self._product.watched = self._product.counted = True

    def observe(self, observer: CurrentObserver) -> None:
        """Show all inputs and currents from now on."""
        self._observer = observer
        self.watch()
        self._forget()

    def count_into(self, counts: np.ndarray) -> None:
        """Count in this array float64 [COUNTS] from now on, on top of what is there and of what was counted so far."""
        counts[:] = added(counts, self.counts)
        self.counts = counts
        self._counted = True
        if self._product is not None:
            self._product.counts, self._product.counted = counts, True

    def program(self, weights: np.ndarray, core: int, number: int) -> None:
        """Hold `weights` [rows, padded columns]."""
        self._place = core, number
        self._ideal.program(weights, core, number)
        self._trial = -1
        self._forget()

    def content(self) -> np.ndarray:
        """The weights that it was given [rows, cols]."""
        return self._ideal.content()

    def write(self, row: int, values: np.ndarray, origin: Origin) -> None:
        """Replace weight rows."""
        if not len(values):
            return  # cells stay as they were programmed
        self._ideal.write(row, values, origin)
        rows = slice(row, row + len(values))
        self._fresh[rows] = True
        self._count_written(len(values))
        counters = [int(np.asarray(counter).reshape(-1)[-1]) for counter in origin.counters()]
        known = rows, (origin.section, self._sample(origin), origin.instruction, *counters)
        self._origins.update((each, known) for each in range(rows.start, rows.stop))
        self._forget()

    def multiply(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool, origin: Origin) -> None:
        """The product."""
        product = self._at(origin)
        spec = self.spec
        if product.ideal and not self._watched:
            if product.counted:
                product.count(src.reshape(-1, spec.rows))
            self._ideal.multiply(dst, src, accumulate, relu, origin)
            return
        x = src.reshape(-1, spec.rows)
        if self._observer is not None:
            self._observer.inputs(x)
        y = product.multiply(x, self._keys(origin, len(x)) if product.noisy else None).reshape(dst.shape)
        if product.ideal:
            self._ideal.multiply(dst, src, accumulate, relu, origin)
        elif spec.output.is_float:
            total = y.astype(np.float32)
            if accumulate:
                total += dst
            dst[...] = np.maximum(total, 0) if relu else total
        else:
            whole = np.rint(y).astype(np.int64)
            if accumulate:
                whole += dst
            wrapped = whole.astype(dst.dtype)
            dst[...] = np.maximum(wrapped, 0) if relu else wrapped

    def _at(self, origin: Origin) -> AnalogProduct:
        """The cells as they are in the trial of a sample."""
        draws = self._arch.draws
        trial = (draws.first or 0) + (origin.sample // draws.samples if draws.samples else 0)
        if self._product is None or trial != self._trial:
            self._product = self._made(trial)
            self._product.count_programming(~self._fresh & (trial != self._trial), self._fresh)
            self._trial, self._fresh = trial, np.zeros_like(self._fresh)
            self._product.watched, self._product.counted = self._watched, self._counted or self._watched
            if self._observer is not None:
                self._product.observer = partial(self._observer.currents, self._product)
            self.counts[:] = added(self.counts, self._product.counts)
            self._product.counts = self.counts
        return self._product

    def _count_written(self, rows: int) -> None:
        """Count rows that a program writes, a pulse for each cell; which of them took more shows when they are read."""
        cells = rows * self.spec.cols * self._arch.weight_cells(self.spec.weight)
        for name in ("written", "verified", "rewritten", "reverified"):
            self.counts[PLACE[name]] += cells
        self.counts[PLACE["rows"]] += rows

    def _made(self, trial: int) -> AnalogProduct:
        spec = self.spec
        known = self._arch.ranges.of(*self._place)
        return AnalogProduct(
            self._arch,
            self._ideal.content(),
            spec.row_tiles,
            spec.input,
            spec.weight,
            self._place,
            trial,
            known.limits if known else None,
            known.input_max if known else None,
            spec.col_tiles,
            self._written(),
        )

    def _written(self) -> Written:
        """Rows that were written by one instruction, those that still are as it wrote them."""
        found: list[tuple[slice, slice, tuple[int | str, ...]]] = []
        for row in sorted(self._origins):
            known = self._origins[row]
            if found and found[-1][0].stop == row and found[-1][1:] == known:
                found[-1] = slice(found[-1][0].start, row + 1), *known
            else:
                found.append((slice(row, row + 1), *known))
        return found

    def _keys(self, origin: Origin, count: int) -> np.ndarray:
        core, group = self._place
        place = ("read", self._trial, core, group, origin.section, self._sample(origin), origin.instruction)
        return vector_keys(self._arch.draws.seed or 0, place, origin.counters(), count)

    def _sample(self, origin: Origin) -> int:
        """The number of a sample within its trial, so that a trial does not depend on others."""
        return origin.sample % self._arch.draws.samples if self._arch.draws.samples else origin.sample

    def _forget(self) -> None:
        """What was held is no more."""
        self._product = None
