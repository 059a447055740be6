"""Bodies of structured operations as functions of elements: which values are read, what each result is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import arith, cf, linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from compiler.dialects.linalg.forms import IndexOp
from compiler.dialects.linalg.structure import Structure
from compiler.frontend.nodes.nests import emit_nest
from compiler.frontend.text.reader import Empty, Known, Reader, TextNode, dtype_of_known
from compiler.frontend.text.scalars import FUNCTIONS, NoFunction
from compiler.interpreter.host.values import Array
from compiler.nests.body import COPY
from compiler.nests.expression import Value, body_of, constant, index
from compiler.nests.linear import Linear, Map
from compiler.nests.nest import Nest
from emu.errors import CompileError

OPERAND = "operand"  # of a value that is the element of an operand: its number


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """An operand of a nest, and which of its elements a point has."""

    found: Known
    map: Map


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """`results` as functions of the elements of `operands`: inputs, old results, then what else the body reads."""

    operands: list[Read]
    accumulators: list[Value]
    results: list[Value]
    sizes: tuple[int, ...]
    parallel: tuple[bool, ...]
    targets: list[Map]

    def used(self, root: Value) -> list[int]:
        """The numbers of the operands that a value depends on."""
        return sorted({int(value.number) for value in walk(root) if value.fn == OPERAND})


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """Result `place` of an operation, of `shape`, which is to be made; `part` names what is made for it."""

    reader: Reader
    node: TextNode
    traced: Traced
    place: int
    shape: Sequence[int]
    part: str

    @property
    def target(self) -> Map:
        """Which of its elements a point of the loops makes."""
        return self.traced.targets[self.place]

    def named(self, part: str) -> str:
        """What an operation is called that makes a part of it."""
        return f"{self.part}/{part}" if self.part else part


def walk(root: Value) -> list[Value]:
    """A value and all that it depends on, those before it first."""
    order, seen, waiting = list[Value](), set[int](), [root]
    while waiting:
        value = waiting[-1]
        missing = [arg for arg in value.args if id(arg) not in seen]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        if id(value) not in seen:
            seen.add(id(value))
            order.append(value)
    return order


def linear_map(given: AffineMap, node: TextNode) -> Map:
    """The linear functions of an affine map; refused for any other."""
    dims = given.num_dims
    zero = given.eval([0] * dims, [])
    units = [given.eval([int(dim == place) for place in range(dims)], []) for dim in range(dims)]
    twos = given.eval([2 + dim for dim in range(dims)], [])
    made = tuple(
        Linear.of(first, {dim: unit[row] - first for dim, unit in enumerate(units)}) for row, first in enumerate(zero)
    )
    for row, indices in enumerate(made):
        if indices.constant + sum(factor * (2 + dim) for dim, factor in indices.factors) != twos[row]:
            node.refuse(f"has the map {given}, which is not linear: sums of loops times numbers are understood")
    return made


def without_single(indices: Map, sizes: Sequence[int]) -> Map:
    """Indices without the counters of loops that run once, which are 0."""
    return tuple(
        Linear(index.constant, tuple((dim, factor) for dim, factor in index.factors if sizes[dim] != 1))
        for index in indices
    )


def number_of(found: Known) -> Array | None:
    """The number that all elements of a known array are, if that is plain to see."""
    if isinstance(found, SSAValue | Empty) or not found.size:
        return None
    alike = found.size == 1 or all(not step or size == 1 for step, size in zip(found.strides, found.shape, strict=True))
    return np.asarray(found[(0,) * found.ndim]) if alike else None


def trace(structure: Structure, reader: Reader, node: TextNode) -> Traced:
    """The functions of a body; refused where the vector unit cannot compute one."""
    values = (*structure.inputs, *structure.outputs)
    maps = [linear_map(each, node) for each in structure.maps]
    try:
        sizes = structure.sizes([reader.shape(value) for value in values])
    except ValueError as error:
        node.refuse(str(error))
    for value in values:
        reader.dtype(value, node)
    turning = [without_single(each, sizes) for each in maps]
    operands = [Read(reader.values[value], each) for value, each in zip(values, turning, strict=True)]
    return _Tracer(structure, reader, node, operands, sizes).traced()


class _Tracer:
    def __init__(
        self, structure: Structure, reader: Reader, node: TextNode, operands: list[Read], sizes: tuple[int, ...]
    ) -> None:
        self._structure, self._reader, self._node = structure, reader, node
        self._operands, self._sizes = operands, sizes
        self._values: dict[SSAValue, Value] = {}
        self._numbers: dict[SSAValue, Array] = {}

    def traced(self) -> Traced:
        structure, inputs = self._structure, len(self._structure.inputs)
        reduces = not all(structure.parallel)
        for place, (arg, read) in enumerate(zip(structure.block.args, list(self._operands), strict=True)):
            number = None if reduces and place >= inputs else number_of(read.found)
            if number is not None:
                self._numbers[arg] = number
            self._values[arg] = Value(OPERAND, dtype_of_known(read.found), (), place)
        accumulators = [self._values[arg] for arg in structure.accumulators]
        results = list[Value]()
        for op in structure.block.ops:
            if isinstance(op, linalg.ops.YieldOp):
                results = [self._value(value) for value in op.operands]
            else:
                self._trace(op)
        targets = [read.map for read in self._operands[inputs : inputs + len(structure.outputs)]]
        return Traced(self._operands, accumulators, results, self._sizes, structure.parallel, targets)

    def _trace(self, op: Operation) -> None:
        if isinstance(op, cf.AssertOp):
            self._reader.scope.warn(f"{self._reader.text.line_of(op)}cores do not make the check {op.msg}")
            return
        if isinstance(op, IndexOp):
            self._values[op.results[0]] = index(int(op.dim.value.data))
            return
        arrays = [self._number(value) for value in op.operands]
        if isinstance(op, arith.ConstantOp) or (op.operands and all(array is not None for array in arrays)):
            self._fold(op, [array for array in arrays if array is not None])
            return
        write = FUNCTIONS.get(type(op))
        if write is None:
            raise self._reader.text.refuse(op, f"is not understood in the body of {self._node.kind}")
        try:
            for value in (*op.operands, *op.results):
                self._reader.dtype(value, self._node)
            self._values[op.results[0]] = write(op, *(self._value(value) for value in op.operands))
        except NoFunction as error:
            self._node.refuse(str(error))

    def _fold(self, op: Operation, arrays: Sequence[Array]) -> None:
        try:
            made = self._reader.interpreter.run_op(op, tuple(arrays))
        except CompileError as error:
            raise self._reader.text.refuse(op, str(error)) from None
        self._numbers.update(zip(op.results, (np.asarray(value) for value in made), strict=True))

    def _number(self, value: SSAValue) -> Array | None:
        """The number that a scalar is, if it is known."""
        if value not in self._values and value not in self._numbers:
            found = self._reader.values.get(value)
            if found is None or isinstance(found, SSAValue | Empty) or found.ndim:
                return None
            self._numbers[value] = found
        return self._numbers.get(value)

    def _value(self, value: SSAValue) -> Value:
        number = self._number(value)
        if number is not None:
            return constant(number.item(), self._reader.dtype(value, self._node))
        if value not in self._values:  # a scalar of what is around the operation, which a core makes
            found = self._reader.values[value]
            self._operands.append(Read(found, ()))
            self._values[value] = Value(OPERAND, dtype_of_known(found), (), len(self._operands) - 1)
        return self._values[value]


def emit(wanted: Wanted, root: Value, combine: str = "", more: Mapping[int, Read] | None = None) -> SSAValue:
    """A nest of what `root` is at the points of the loops; `more` are operands that the text does not have."""
    reader, node, traced = wanted.reader, wanted.node, wanted.traced
    reads = {**dict(enumerate(traced.operands)), **(more or {})}
    used = traced.used(root)
    pairs = [_operand(reader, node, reads[place], place) for place in used]
    types = [dtype_of_known(value) for value, _ in pairs]

    def write(*elements: Value) -> Value:
        return substituted(root, dict(zip(used, elements, strict=True)))

    body = COPY if root.fn == OPERAND else body_of(types, write)[0]
    sizes, parallel = traced.sizes, traced.parallel
    nest = Nest(sizes, parallel, tuple(each for _, each in pairs), wanted.target, body, combine)
    return emit_nest(node, reader.scope, [value for value, _ in pairs], nest, wanted.shape, wanted.part)


def substituted(root: Value, elements: Mapping[int, Value]) -> Value:
    """A value with others in the place of its operands, by their numbers."""
    made = dict[int, Value]()
    for value in walk(root):
        if value.fn == OPERAND:
            made[id(value)] = elements[int(value.number)]
        elif all(made[id(arg)] is arg for arg in value.args):
            made[id(value)] = value
        else:
            made[id(value)] = Value(value.fn, value.dtype, tuple(made[id(arg)] for arg in value.args), value.number)
    return made[id(root)]


def _operand(reader: Reader, node: TextNode, read: Read, place: int) -> tuple[SSAValue, Map]:
    """An operand as a value of the module, and its map; of what a known array repeats, one is kept."""
    found = read.found
    if isinstance(found, Empty):
        node.refuse(f"reads operand {place}, whose elements nobody has written: fill it first")
    if isinstance(found, SSAValue):
        return found, read.map
    repeated = [size > 1 and not step for size, step in zip(found.shape, found.strides, strict=True)]
    if any(repeated):
        small = found[tuple(slice(0, 1) if each else slice(None) for each in repeated)]
        kept = tuple(Linear() if each else item for each, item in zip(repeated, read.map, strict=True))
        return reader.constant(small, node, f"operand{place}"), kept
    return reader.constant(found, node, f"operand{place}"), read.map
