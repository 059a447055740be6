"""Products with what crossbars hold: their weights as array groups of the core, word lines as it drives them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import cast

import numpy as np

from emu.interop.mop.accesses import ElementRuns, OperatorAccesses
from emu.interop.mop.arrays import Arrays
from emu.interop.mop.chip import ELEMENT_BYTES, MopChip
from emu.interop.mop.emitter import Emit, SectionEmitter, Step, at
from emu.interop.mop.flow import Named, NumberFormats, Operator, Register
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec

CONVERTS = "vlut"  # the instruction that traps for what no word line takes


class Products:
    """Lowers products; every matrix that is multiplied with is one array group, however many crossbars hold it."""

    def __init__(self, emitter: SectionEmitter, chip: MopChip, numbers: NumberFormats, arrays: Arrays) -> None:
        self._emitter, self._numbers, self._arrays = emitter, numbers, arrays
        self.rows, self.columns = chip.rows, chip.columns(numbers.weight_bits)
        self._bound = chip.bound(numbers.weight_bits)
        self._held: dict[int, int] = {}  # the array group of the matrix of each crossbar
        self._written: dict[tuple[int, int], int] = {}  # the number of what a row of a crossbar holds
        self._values: dict[Named, int] = {}
        self._rows: list[np.ndarray] = []  # by number
        self._made: dict[int, int] = {}  # columns of the last product of each crossbar
        self._numbered: dict[Hashable, int] = {}
        self.groups: list[GroupSpec] = []
        self.weights: list[np.ndarray] = []  # per group [rows, padded columns]
        self.steps: Mapping[str, Callable[[Operator, OperatorAccesses], Iterator[Step]]] = {
            "cim.read_xb": self._read_crossbars,
            "cim.write_xb": self._write_crossbar,
            "cim.read_row": self._read_rows,
            "cim.write_row": self._write_row,
        }

    # crossbars --------------------------------------------------------------------------------------------------

    def _write_crossbar(self, operator: Operator, found: OperatorAccesses) -> Iterator[Step]:
        place, matrix = cast(tuple[Register, Named], operator.args)
        self._held[place.crossbar] = self.group(matrix)
        yield from ()

    def _write_row(self, operator: Operator, found: OperatorAccesses) -> Iterator[Step]:
        place, value = cast(tuple[Register, Named], operator.args)
        if value not in self._values:
            self._values[value] = len(self._rows)
            self._rows.append(self._arrays.matrix(value)[0])
        self._written[place] = self._values[value]
        yield from ()

    def _read_crossbars(self, operator: Operator, found: OperatorAccesses) -> Iterator[Step]:
        for source, target in zip(found.reads[::2], found.writes[::2], strict=True):
            yield self._read(self._held[source.space[1]], target, source)

    def _read_rows(self, operator: Operator, found: OperatorAccesses) -> Iterator[Step]:
        (crossbar, first), length = cast(tuple[Register, int], operator.args)
        rows = tuple([self._written[crossbar, row] for row in range(first, first + length)])
        yield self._read(self._group(rows, lambda: self._stacked(rows)), found.writes[0], found.reads[0])

    def _read(self, group: int, target: ElementRuns, source: ElementRuns) -> Step:
        """From an input register into an output register, which is 0 beyond the columns."""
        columns, crossbar = self.groups[group].cols, source.space[1]
        before = self._made.get(crossbar, self.columns)
        self._made[crossbar] = columns
        return (group, max(before - columns, 0)), (target, source)

    def prepare(self, group: int, beyond: int) -> Emit:
        """Multiply, and make so many columns behind the product 0."""
        columns = self.groups[group].cols

        def emit(target: Address, source: Address) -> None:
            self.multiply(group, target, source)
            if beyond:
                behind = at(target, offset=columns * ELEMENT_BYTES)
                self._emitter.emit("lldi", (), (behind,), byte=0, size=beyond * ELEMENT_BYTES)

        return emit

    def _stacked(self, rows: Sequence[int]) -> np.ndarray:
        """Rows of weights, as a crossbar holds them: 0 behind their ends."""
        parts = [self._rows[row] for row in rows]
        stacked = np.zeros((len(parts), self.columns), np.result_type(*parts))
        for row, part in zip(stacked, parts, strict=True):
            row[: len(part)] = part
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
            index = emitter.memory.scratch("index", spec.rows * ELEMENT_BYTES)
            driven = emitter.memory.scratch("driven", spec.rows * spec.input.size)
            emitter.vector("vsadd", (emitter.element,), index, source, n=spec.rows, imm=-low)
            types, entries = (emitter.element, spec.input), high + 1 - low
            emitter.vector(CONVERTS, types, driven, index, table, n=spec.rows, entries=entries, width=1)
            source = driven
        emitter.emit("mvmul", (spec.input, spec.output), (target, source), group=group)


def _tiles(size: int, most: int) -> tuple[int, ...]:
    """A size cut into pieces of at most so much."""
    return tuple([min(most, size - low) for low in range(0, size, most)])
