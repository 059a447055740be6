"""Bodies of structured operations as functions of elements: which values are read, what each result is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from compiler.frontend.nodes.nests import emit_nest
from compiler.frontend.text.reader import Empty, Known, TextNode, TextReader, dtype_of_known
from compiler.interpreter.host.values import Array
from compiler.nests.body import COPY, INDEX
from compiler.nests.expression import Value, body_of, constant
from compiler.nests.linear import Linear, Map
from compiler.nests.nest import Nest

OPERAND = "operand"  # of a value that is the element of an operand: its number


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """An operand of a nest, and which of its elements a point has."""

    found: Known
    map: Map


@dataclass(frozen=True, slots=True, eq=False)
class TracedBody:
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
class WantedResult:
    """Result `place` of an operation, of `shape`, which is to be made; `part` names what is made for it."""

    reader: TextReader
    node: TextNode
    traced: TracedBody
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
    made = _linear_map(given)
    if made is None:
        node.refuse(f"has the map {given}, which is not linear: sums of loops times numbers are understood")
    return made


@lru_cache(maxsize=1024)
def _linear_map(given: AffineMap) -> Map | None:
    dims = given.num_dims
    zero = given.eval([0] * dims, [])
    units = [given.eval([int(dim == place) for place in range(dims)], []) for dim in range(dims)]
    twos = given.eval([2 + dim for dim in range(dims)], [])
    made = tuple(
        Linear.of(first, {dim: unit[row] - first for dim, unit in enumerate(units)}) for row, first in enumerate(zero)
    )
    for row, indices in enumerate(made):
        if indices.constant + sum(factor * (2 + dim) for dim, factor in indices.factors) != twos[row]:
            return None
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


def emit(wanted: WantedResult, root: Value, combine: str = "", more: Mapping[int, Read] | None = None) -> SSAValue:
    """A nest of what `root` is at the points of the loops; `more` are operands that the text does not have."""
    reader, node, traced = wanted.reader, wanted.node, wanted.traced
    reads = {**dict(enumerate(traced.operands)), **(more or {})}
    used = traced.used(root)
    pairs = [operand_of(reader, node, reads[place], place) for place in used]
    types = [dtype_of_known(value) for value, _ in pairs]

    def write(*elements: Value) -> Value:
        return substituted(root, dict(zip(used, elements, strict=True)))

    body = COPY if root.fn == OPERAND else body_of(types, write)[0]
    sizes, parallel = traced.sizes, traced.parallel
    nest = Nest(sizes, parallel, tuple(each for _, each in pairs), wanted.target, body, combine)
    return emit_nest(node, reader.scope, [value for value, _ in pairs], nest, wanted.shape, wanted.part)


def substituted(root: Value, elements: Mapping[int, Value], loops: Mapping[int, Value] | None = None) -> Value:
    """A value with others in the place of its operands, and of the counters of its loops, by their numbers."""
    made = dict[int, Value]()
    for value in walk(root):
        if value.fn == OPERAND:
            made[id(value)] = elements[int(value.number)]
        elif value.fn == INDEX and loops is not None:
            made[id(value)] = loops.get(int(value.number)) or constant(0, value.dtype)  # of one that runs once
        elif all(made[id(arg)] is arg for arg in value.args):
            made[id(value)] = value
        else:
            made[id(value)] = Value(value.fn, value.dtype, tuple(made[id(arg)] for arg in value.args), value.number)
    return made[id(root)]


def operand_of(reader: TextReader, node: TextNode, read: Read, place: int) -> tuple[SSAValue, Map]:
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
