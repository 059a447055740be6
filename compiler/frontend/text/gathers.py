"""Elements that a body takes out of a tensor: by a map where the place is a linear function, else by a gather."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from compiler.dialects.indexed import GatherOp
from compiler.dialects.onnx import ReshapeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import emit_nest
from compiler.frontend.nodes.scope import Shape, shape_of
from compiler.frontend.text.bodies import OPERAND, Read, operand_of, substituted, walk
from compiler.frontend.text.reader import Empty, Known, TextNode, TextReader, dtype_of_known, shape_of_known
from compiler.nests.body import CONSTANT, INDEX
from compiler.nests.expression import Value, body_of, cast, constant, select
from compiler.nests.linear import Linear, Map, identity
from compiler.nests.nest import Nest
from emu.isa.dtypes import PLACES, DType

_NOWHERE = 1 << 40  # an index that no tensor has: the place of one that is outside in one of its dimensions


@dataclass(frozen=True, slots=True, eq=False)
class GatherSpace:
    """The operands that a body has so far, and the sizes of its loops."""

    reader: TextReader
    node: TextNode
    operands: list[Read]
    sizes: tuple[int, ...]


def element_of(space: GatherSpace, table: Known, indices: Sequence[Value], part: str) -> Read:
    """The element of a tensor at a place that is a function of elements and loops, as an operand more."""
    shape, lines = shape_of_known(table), [linear(index, space.sizes) for index in indices]
    known = tuple(line for line in lines if line is not None)
    if len(known) == len(lines) and all(
        low >= 0 and high < size
        for (low, high), size in zip((line.range(space.sizes) for line in known), shape, strict=True)
    ):
        return Read(table, known)
    return _Gather(space, table, indices, lines, part).made()


def linear(value: Value, sizes: Sequence[int]) -> Linear | None:
    """An index as a linear function of loops, those that run once left out; None if it is none."""
    if value.fn == CONSTANT:
        return Linear(int(value.number))
    if value.fn == INDEX:
        return Linear.dim(int(value.number)) if sizes[int(value.number)] != 1 else Linear()
    if value.fn == "cast" and value.dtype in PLACES:
        return linear(value.args[0], sizes)
    if value.fn not in ("add", "sub", "mul"):
        return None
    a, b = (linear(arg, sizes) for arg in value.args)
    if a is None or b is None:
        return None
    if value.fn == "mul":
        if a.factors and b.factors:
            return None
        return a.scaled(b.constant) if a.factors else b.scaled(a.constant)
    other = b if value.fn == "add" else b.scaled(-1)
    factors = Counter(dict(a.factors))
    factors.update(dict(other.factors))
    return Linear.of(a.constant + other.constant, factors)


@dataclass(frozen=True, slots=True, eq=False)
class _Gather:
    """Dimensions that loops of their own go through stay around it; the others are one index, flat."""

    space: GatherSpace
    table: Known
    indices: Sequence[Value]
    lines: Sequence[Linear | None]
    part: str

    def made(self) -> Read:
        """What was gathered, with a dimension per loop."""
        shape, (begin, end) = shape_of_known(self.table), self._between()
        outer, inner = prod(shape[:begin]), prod(shape[end:])
        lines = self._reshaped(self._table(), (outer, prod(shape[begin:end]), inner), "lines")
        places, loops = self._places(begin, end)
        count = prod(shape_of(places))
        sizes = [self.space.sizes[loop] for loop in loops]
        made = self.space.reader.scope.emit(
            GatherOp,
            self.space.node,
            [lines, places],
            (outer, count, inner),
            part=self.part,
            dtype=dtype_of_known(self.table),
        )
        made = self._reshaped(made, (*shape[:begin], *sizes, *shape[end:]), "taken")
        around = [line or Linear() for line in self.lines]
        return Read(made, (*around[:begin], *map(Linear.dim, loops), *around[end:]))

    def _table(self) -> SSAValue:
        if isinstance(self.table, SSAValue):
            return self.table
        assert not isinstance(self.table, Empty)
        return self.space.reader.constant(self.table, self.space.node, f"{self.part}/table")

    def _between(self) -> tuple[int, int]:
        """The dimensions that need an index lie between these."""
        uses = Counter(loop for index in self.indices for loop in self._loops(index))
        shape = shape_of_known(self.table)
        plain = [
            line == Linear() if size == 1 else line is not None and self._goes_through(line, size, uses)
            for line, size in zip(self.lines, shape, strict=True)
        ]
        rank = len(shape)
        begin = next((place for place in range(rank) if not plain[place]), rank)
        end = next((place + 1 for place in reversed(range(rank)) if not plain[place]), begin)
        return begin, max(begin, end)

    def _goes_through(self, line: Linear, size: int, uses: Counter[int]) -> bool:
        return line.only is not None and self.space.sizes[line.only] == size and uses[line.only] == 1

    def _loops(self, index: Value) -> set[int]:
        """The loops that an index depends on."""
        found = set[int]()
        for value in walk(index):
            if value.fn == INDEX:
                found.add(int(value.number))
            elif value.fn == OPERAND:
                found |= {dim for each in self.space.operands[int(value.number)].map for dim, _ in each.factors}
        return {loop for loop in found if self.space.sizes[loop] != 1}

    def _places(self, begin: int, end: int) -> tuple[SSAValue, list[int]]:
        """The flat index at each point of the loops that it depends on, [count], and these loops."""
        space, shape = self.space, shape_of_known(self.table)[begin:end]
        indices = self.indices[begin:end]
        loops = sorted({loop for index in indices for loop in self._loops(index)})
        number = {loop: place for place, loop in enumerate(loops)}
        root = _flat(indices, shape)
        used = sorted({int(value.number) for value in walk(root) if value.fn == OPERAND})
        pairs = [operand_of(space.reader, space.node, space.operands[place], place) for place in used]
        operands, maps = [value for value, _ in pairs], [_renumbered(each, number) for _, each in pairs]

        def write(*elements: Value) -> Value:
            loop_of = {loop: Value(INDEX, DType.i64, (), place) for loop, place in number.items()}
            return substituted(root, dict(zip(used, elements, strict=True)), loop_of)

        sizes = tuple(space.sizes[loop] for loop in loops) or (1,)
        body = body_of([dtype_of(value) for value in operands], write)[0]
        target = identity(len(loops)) or (Linear(),)
        nest = Nest(sizes, (True,) * len(sizes), tuple(maps), target, body)
        made = emit_nest(space.node, space.reader.scope, operands, nest, sizes, f"{self.part}/places")
        return self._reshaped(made, (prod(sizes),), "flat"), loops

    def _reshaped(self, x: SSAValue, shape: Shape, part: str) -> SSAValue:
        if shape_of(x) == tuple(shape):
            return x
        return self.space.reader.scope.emit(
            ReshapeOp, self.space.node, [x], shape, part=f"{self.part}/{part}", dtype=dtype_of(x)
        )


def _renumbered(indices: Map, number: dict[int, int]) -> Map:
    return tuple(Linear.of(each.constant, {number[dim]: size for dim, size in each.factors}) for each in indices)


def _flat(indices: Sequence[Value], shape: Shape) -> Value:
    """One index of several; where one of them is outside of its dimension, one that is outside of all."""
    if len(indices) == 1:
        return cast(indices[0], DType.i64)
    total: Value | None = None
    for place, (index, size) in enumerate(zip(indices, shape, strict=True)):
        wide = cast(index, DType.i64)
        inside = (wide >= 0) & (wide < size)
        term = select(inside, wide * prod(shape[place + 1 :]), _NOWHERE)
        total = term if total is None else total + term
    return constant(0, DType.i64) if total is None else total
