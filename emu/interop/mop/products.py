"""Products with what crossbars hold: their weights as array groups of the core, word lines as it drives them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np

from emu.interop.mop.arrays import Arrays
from emu.interop.mop.chip import ELEMENT_BYTES, Chip
from emu.interop.mop.emitter import Emitter
from emu.interop.mop.flow import Named, Numbers, Register
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec

CONVERTS = "vlut"  # the instruction that traps for what no word line takes


@dataclass(slots=True)
class Held:
    """What a crossbar holds: a matrix or, written one by one, rows; `made`: columns of its last product."""

    matrix: Named | None = None
    rows: dict[int, Named] = field(default_factory=dict)
    made: int = 0


class Products:
    """Lowers products; every matrix that is multiplied with is one array group, however many crossbars hold it."""

    def __init__(self, emitter: Emitter, chip: Chip, numbers: Numbers, arrays: Arrays) -> None:
        self._emitter, self._numbers, self._arrays = emitter, numbers, arrays
        self.rows, self.columns = chip.rows, chip.columns(numbers.weight_bits)
        self._bound = chip.bound(numbers.weight_bits)
        self._crossbars: dict[int, Held] = {}
        self._numbered: dict[Hashable, int] = {}
        self.groups: list[GroupSpec] = []
        self.weights: list[np.ndarray] = []  # per group [rows, padded columns]
        self.lowered: Mapping[str, Callable[..., None]] = {
            "cim.read_xb": self._read_crossbars,
            "cim.write_xb": self._write_crossbar,
            "cim.read_row": self._read_rows,
            "cim.write_row": self._write_row,
        }

    # crossbars --------------------------------------------------------------------------------------------------

    def _held(self, crossbar: int) -> Held:
        return self._crossbars.setdefault(crossbar, Held())

    def _write_crossbar(self, place: Register, matrix: Named) -> None:
        self.group(matrix)
        self._held(place.crossbar).matrix = matrix

    def _write_row(self, place: Register, value: Named) -> None:
        self._arrays.matrix(value)
        self._held(place.crossbar).rows[place.offset] = value

    def _read_crossbars(self, place: Register, length: int) -> None:
        for crossbar in range(place.crossbar, place.crossbar + length, self._bound):
            matrix = self._held(crossbar).matrix
            assert matrix is not None  # it was checked
            self._read(crossbar, 0, self.group(matrix))

    def _read_rows(self, place: Register, length: int) -> None:
        held = self._held(place.crossbar).rows
        rows = tuple([held[row] for row in range(place.offset, place.offset + length)])
        self._read(place.crossbar, place.offset, self._group(rows, lambda: self._stacked(rows)))

    def _read(self, crossbar: int, row: int, group: int) -> None:
        """From the input register, from an element on, into the output register, which is 0 beyond the columns."""
        memory = self._emitter.memory
        source = memory.register("input", crossbar, self.rows) + row * ELEMENT_BYTES
        target = memory.register("output", crossbar, self.columns)
        self.multiply(group, Address(target), Address(source))
        columns, held = self.groups[group].cols, self._held(crossbar)
        if columns < (held.made or self.columns):
            beyond = Address(target + columns * ELEMENT_BYTES)
            size = ((held.made or self.columns) - columns) * ELEMENT_BYTES
            self._emitter.emit("lldi", (), (beyond,), byte=0, size=size)
        held.made = columns

    def _stacked(self, rows: tuple[Named, ...]) -> np.ndarray:
        """Rows of weights, as a crossbar holds them: 0 behind their ends."""
        parts = [self._arrays.matrix(row) for row in rows]
        stacked = np.zeros((len(parts), self.columns), np.result_type(*parts))
        for row, part in zip(stacked, parts, strict=True):
            row[: part.shape[1]] = part[0]
        return stacked

    # array groups -----------------------------------------------------------------------------------------------

    def group(self, matrix: Named) -> int:
        """The array group of a matrix; raises ValueError for one that is none of weights."""
        return self._group(matrix, lambda: self._arrays.matrix(matrix))

    def _group(self, key: Hashable, matrix: Callable[[], np.ndarray]) -> int:
        if key not in self._numbered:
            weights = matrix()
            rows, cols = weights.shape
            spec = GroupSpec(
                self._driven,
                DType.of(weights.dtype),
                self._emitter.element,
                _tiles(rows, self.rows),
                _tiles(cols, self.columns),
            )
            padded = np.zeros((rows, spec.padded_cols), weights.dtype)
            padded[:, :cols] = weights
            self._numbered[key] = len(self.groups)
            self.groups.append(spec)
            self.weights.append(padded)
        return self._numbered[key]

    @property
    def _driven(self) -> DType:
        """The type of what word lines are given: of integers the smallest that has all numbers of 8 bits."""
        return self._numbers.element if self._numbers.inputs is None else DType.i16

    def multiply(self, group: int, target: Address, source: Address) -> None:
        """A product of elements; of integers it traps for what no word line takes."""
        spec, emitter = self.groups[group], self._emitter
        if self._numbers.inputs is not None:
            low, high = self._numbers.inputs
            table = emitter.memory.constant(np.arange(low, high + 1, dtype=spec.input.numpy))
            index = Address(emitter.memory.scratch("index", spec.rows * ELEMENT_BYTES))
            driven = Address(emitter.memory.scratch("driven", spec.rows * spec.input.size))
            emitter.vector("vsadd", (emitter.element,), index, source, n=spec.rows, imm=-low)
            types, entries = (emitter.element, spec.input), high + 1 - low
            emitter.vector(CONVERTS, types, driven, index, Address(table), n=spec.rows, entries=entries, width=1)
            source = driven
        emitter.emit("mvmul", (spec.input, spec.output), (target, source), group=group)


def _tiles(size: int, most: int) -> tuple[int, ...]:
    """A size cut into pieces of at most so much."""
    return tuple([min(most, size - low) for low in range(0, size, most)])
