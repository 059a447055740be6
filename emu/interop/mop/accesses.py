"""What each operator reads and writes: memory, registers, cells and periphery of crossbars, cores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import NamedTuple, TypeAlias, cast

from emu.interop.mop.chip import MopChip
from emu.interop.mop.flow import CoreTag, Named, NumberFormats, Operand, Operator, Params, Register
from emu.interop.mop.operators import OPERATORS
from emu.interop.mop.window import Window, window_of
from emu.wording import counted

MEMORY = ("memory", 0)
APART, IN_PLACE, SHIFTED = range(3)  # have two accesses no element in common, or do they begin at the same one, or not
Space: TypeAlias = tuple[str, int]  # memory; input, output, cells or periphery of a crossbar; a core


class ElementRuns(NamedTuple):
    """`runs` runs of `length` elements of a space, the first at `start`, each `stride` behind the one before."""

    space: Space
    start: int
    length: int
    runs: int = 1
    stride: int = 0

    @property
    def end(self) -> int:
        """The element behind the last."""
        return self.start + (self.runs - 1) * self.stride + self.length

    def has(self, element: int) -> bool:
        """Whether it is an element of one of the runs, which do not overlap."""
        run, within = divmod(element - self.start, self.stride) if self.runs > 1 else (0, element - self.start)
        return 0 <= run < self.runs and 0 <= within < self.length

    def overlap(self, other: ElementRuns) -> int:
        """How it lies to another access."""
        if self.space != other.space or self.start >= other.end or other.start >= self.end:
            return APART
        return IN_PLACE if self.start == other.start else SHIFTED


class OperatorAccesses(NamedTuple):
    """What an operator reads and writes."""

    reads: tuple[ElementRuns, ...]
    writes: tuple[ElementRuns, ...]


_UNBOUNDED = {"low": -1, "high": 1}  # operands that may lie on this side of all elements


class Rules:
    """The accesses of operators on a chip, in their order: what crossbars and cores hold is known from those before."""

    def __init__(self, chip: MopChip, numbers: NumberFormats) -> None:
        self.chip, self.numbers, self.bits = chip, numbers, numbers.weight_bits
        self.columns, self.bound = chip.columns(self.bits), chip.bound(self.bits)
        self._held: dict[int, int] = {}  # rows of the matrix of a crossbar
        self._cores: dict[int, dict[Named, int]] = {}  # crossbars that each matrix of a core takes
        self._special: Mapping[str, Callable[[Operator], OperatorAccesses]] = {
            "cim.read_core": self._read_core,
            "cim.read_xb": self._read_crossbars,
            "cim.write_xb": self._write_crossbar,
            "cim.read_row": self._read_rows,
            "cim.write_row": self._write_row,
            "MaxPool": self._pool,
            "AveragePool": self._pool,
        }

    def accesses(self, operator: Operator) -> OperatorAccesses:
        """What `operator` reads and writes; raises ValueError."""
        mode, numbers = OPERATORS[operator.name].mode, OPERATORS[operator.name].numbers
        if mode and mode != self.chip.mode:
            other = "it accepts " + ", ".join(name for name, row in OPERATORS.items() if row.mode == self.chip.mode)
            raise ValueError(f"the chip is programmed in mode {self.chip.mode}, {operator.name} is of {mode}: {other}")
        if numbers and numbers != self.numbers.name:
            raise ValueError(f"works on {numbers}, and the flow on {self.numbers.name}")
        return self._special.get(operator.name, self._elements)(operator)

    # digital operators and moves --------------------------------------------------------------------------------

    def _elements(self, operator: Operator) -> OperatorAccesses:
        signature, args = OPERATORS[operator.name], operator.args
        places = signature.places
        length = cast(int, args[places["length"][0]])
        for at in places.get("number", ()):
            self._number(list(signature.operands)[at], cast(float, args[at]))
        reads = [
            self._place(args[at], length, source=True)
            for at in places.get("source", ())
            if not isinstance(args[at], Named)
        ]
        return OperatorAccesses(tuple(reads), (self._place(args[places["destination"][0]], length, source=False),))

    def _number(self, name: str, number: float) -> None:
        """Refuse what no element can be; bounds below and above all elements bound nothing."""
        if self.numbers.position(number) not in (0, _UNBOUNDED.get(name, 0)):
            raise ValueError(f"{name} {number} is no {self.numbers.element.name}, as all numbers of the flow are")

    def _place(self, place: Operand, length: int, *, source: bool) -> ElementRuns:
        """Elements of memory, of an output register (`source`) or of an input register."""
        if not isinstance(place, Register):
            return self._memory(cast(int, place), length)
        if self.chip.mode == "cm":
            raise ValueError("in mode cm crossbars and their registers cannot be addressed")
        self._whole(place.crossbar)
        kind, room = ("output", self.columns) if source else ("input", self.chip.rows)
        if place.offset + length > room:
            end = place.offset + length
            raise ValueError(f"the {kind} register of xb{place.crossbar} has {room} elements: {end} is beyond it")
        return ElementRuns((kind, place.crossbar), place.offset, length)

    def _memory(self, start: int, length: int, runs: int = 1, stride: int = 0) -> ElementRuns:
        access = ElementRuns(MEMORY, start, length, runs, stride)
        if access.end > self.chip.memory:
            raise ValueError(f"memory has {self.chip.memory} elements: element {access.end - 1} is beyond it")
        return access

    def _pool(self, operator: Operator) -> OperatorAccesses:
        params, source, target = operator.args
        window = window_of(cast(Params, params))
        if window.weights is not None:
            raise ValueError("a pooling has no weights")
        if window.depth != window.width:
            raise ValueError(f"a pooling makes as many channels as it takes, {window.depth}, not {window.width}")
        return self._windows(window, cast(int, source), cast(int, target))

    def _windows(self, window: Window, source: int, target: int) -> OperatorAccesses:
        pixels = prod(window.sizes)
        read = self._memory(source + window.channels.low, window.depth, pixels, window.pitch)
        write = self._memory(target + window.filters.low, window.width, window.count, window.out_pitch)
        return OperatorAccesses((_joined(read),), (_joined(write),))

    # products ---------------------------------------------------------------------------------------------------

    def _read_core(self, operator: Operator) -> OperatorAccesses:
        layer, params, core, source, target = operator.args
        window, number = window_of(cast(Params, params)), cast(CoreTag, core).number
        if number >= self.chip.cores:
            raise ValueError(f"the chip has {counted(self.chip.cores, 'core')}: core{number} is none of them")
        if layer == "Gemm" and window.sizes:
            raise ValueError("in= of a Gemm is one size, the elements that it multiplies")
        self._number("fill", window.fill)
        rows, columns = self.box(window.weights)
        if rows[1] > window.rows or columns[1] - columns[0] != window.width:
            raise ValueError(
                f"weights of rows up to {rows[1]} and {columns[1] - columns[0]} columns do not fit windows of"
                f" {window.rows} elements and {window.width} results"
            )
        self._hold(number, cast(Named, window.weights), rows[1] - rows[0], columns[1] - columns[0])
        found = self._windows(window, cast(int, source), cast(int, target))
        return OperatorAccesses(found.reads, (*found.writes, ElementRuns(("core", number), 0, 1)))

    def _hold(self, core: int, weights: Named, rows: int, columns: int) -> None:
        """Note that a core holds a matrix; raises ValueError if it has too few crossbars for all of its."""
        held = self._cores.setdefault(core, {})
        held[weights] = self.chip.needed(rows, columns, self.bits)
        if (needed := sum(held.values())) > self.chip.crossbars:
            raise ValueError(
                f"the weights of core{core} take {counted(needed, 'crossbar')}: a core has {self.chip.crossbars}"
            )

    def box(self, matrix: Named | None) -> tuple[tuple[int, int], tuple[int, int]]:
        """Rows and columns of a matrix that must tell them; raises ValueError."""
        if matrix is None or len(matrix.box) != 2:
            name = "weights" if matrix is None else matrix.name
            raise ValueError(f"{name} must tell its rows and columns, as in {name}[0:27,0:32]")
        return matrix.box[0], matrix.box[1]

    def _whole(self, crossbar: int) -> None:
        """Raise ValueError unless it is a crossbar of the chip, the first of those bound together."""
        count = self.chip.cores * self.chip.crossbars
        if crossbar >= count:
            raise ValueError(f"the chip has {counted(count, 'crossbar')}: xb{crossbar} is none of them")
        place = crossbar % self.chip.crossbars
        if place % self.bound or place + self.bound > self.chip.crossbars:
            raise ValueError(
                f"{self.bound} crossbars of a core hold the bits of a weight, and xb{crossbar} is not the first of such"
            )

    def _product(self, crossbar: int, row: int, rows: int) -> OperatorAccesses:
        reads = ElementRuns(("input", crossbar), row, rows), ElementRuns(("cells", crossbar), row, rows)
        writes = ElementRuns(("output", crossbar), 0, self.columns), ElementRuns(("periphery", crossbar), 0, 1)
        return OperatorAccesses(reads, writes)

    def _read_crossbars(self, operator: Operator) -> OperatorAccesses:
        first, length = cast(Register, operator.args[0]).crossbar, cast(int, operator.args[1])
        if length % self.bound:
            raise ValueError(f"{self.bound} crossbars hold the bits of a weight: len must be a multiple of that")
        found = [self._product(at, 0, self._rows(at)) for at in range(first, first + length, self.bound)]
        return OperatorAccesses(
            tuple(read for part in found for read in part.reads),
            tuple(write for part in found for write in part.writes),
        )

    def _rows(self, crossbar: int) -> int:
        self._whole(crossbar)
        if crossbar not in self._held:
            raise ValueError(f"xb{crossbar} holds no weights yet: write them by cim.write_xb before")
        return self._held[crossbar]

    def _read_rows(self, operator: Operator) -> OperatorAccesses:
        at, length = cast(Register, operator.args[0]), cast(int, operator.args[1])
        self._whole(at.crossbar)
        if length > self.chip.parallel_rows:
            raise ValueError(f"{length} rows are more than the {self.chip.parallel_rows} that are driven at a time")
        if at.offset + length > self.chip.rows:
            raise ValueError(f"a crossbar has {self.chip.rows} rows: {at.offset + length} is beyond them")
        return self._product(at.crossbar, at.offset, length)

    def _write_crossbar(self, operator: Operator) -> OperatorAccesses:
        crossbar = cast(Register, operator.args[0]).crossbar
        rows, columns = self.box(cast(Named, operator.args[1]))
        self._whole(crossbar)
        height, width = rows[1] - rows[0], columns[1] - columns[0]
        if height > self.chip.rows or width > self.columns:
            raise ValueError(
                f"a crossbar holds {self.chip.rows} x {self.columns} weights, the matrix has {height} x {width}"
            )
        self._held[crossbar] = height
        return OperatorAccesses(
            (), (ElementRuns(("cells", crossbar), 0, height), ElementRuns(("periphery", crossbar), 0, 1))
        )

    def _write_row(self, operator: Operator) -> OperatorAccesses:
        at = cast(Register, operator.args[0])
        rows, columns = self.box(cast(Named, operator.args[1]))
        self._whole(at.crossbar)
        if at.offset >= self.chip.rows:
            raise ValueError(f"a crossbar has {self.chip.rows} rows: row {at.offset} is beyond them")
        if rows[1] - rows[0] != 1 or columns[1] - columns[0] > self.columns:
            raise ValueError(f"a row of a crossbar holds 1 x {self.columns} weights at most")
        return OperatorAccesses(
            (), (ElementRuns(("cells", at.crossbar), at.offset, 1), ElementRuns(("periphery", at.crossbar), 0, 1))
        )


def _joined(access: ElementRuns) -> ElementRuns:
    """The same elements as one run, if there are no gaps."""
    if access.runs == 1 or access.stride != access.length:
        return access
    return ElementRuns(access.space, access.start, access.length * access.runs)
