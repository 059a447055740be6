"""Random ONNX graphs out of a table of operators, each node evaluated by onnxruntime while the graph grows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import ClassVar

import numpy as np
import onnx
import onnxruntime
from exact_sessions import exact_session
from hypothesis import strategies as st
from onnx import ModelProto, NodeProto, helper, numpy_helper
from random_histories import derived
from random_layers import LAYERS
from random_moves import MOVES
from random_rows import ROWS

OPSET, IR_VERSION = 24, 10
FLOATS, INTEGERS = ("float32", "float16"), ("int64", "int32", "int8", "uint8")
TYPES = (*FLOATS, *INTEGERS, "bool")
MOST = 400  # elements of a tensor
LARGEST = 1e4  # of a computed float: beyond, sums lose what the tolerance must not
SMALLEST = 1e-4  # of the largest element of an inexact one: onnxruntime's sigmoids are 6e-8 off near 0
SHARES = {"float32": 0.01, "float16": 0.5}  # of the magnitude of inexact operands: below, too few bits are left
ROUNDING = {"float32": 1e-4, "float16": 1e-2}  # of the largest magnitude; in half precision every step rounds
TABLE = {**ROWS, **MOVES, **LAYERS}


@dataclass(frozen=True)
class Value:
    """A tensor of the graph with its value; `exact` if every machine computes the same bits."""

    array: np.ndarray
    exact: bool


@dataclass
class Case:
    """A model, an input for it and what onnxruntime says of its outputs, node by node."""

    model: ModelProto
    sample: dict[str, np.ndarray]
    wanted: dict[str, np.ndarray]

    def __repr__(self) -> str:
        return f"{onnx.printer.to_text(self.model)}\nsample = {self.sample!r}"

    def assert_close(self, found: Mapping[str, np.ndarray]) -> None:
        """`found` has the types, the shapes and the numbers of `wanted`: integers all their bits."""
        assert set(found) == set(self.wanted)
        for name, wanted in self.wanted.items():
            got = found[name]
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), name
            share = ROUNDING.get(str(wanted.dtype))
            if share is None:
                np.testing.assert_array_equal(got, wanted, name)
            else:
                limit = share * float(np.abs(wanted).max(initial=0))
                np.testing.assert_allclose(got, wanted, rtol=0, atol=limit, err_msg=name)


@dataclass
class Graph:
    """What a row of the table draws from and adds nodes to."""

    draw: st.DrawFn
    random: np.random.Generator
    values: dict[str, Value] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    nodes: list[NodeProto] = field(default_factory=list)
    types: Collection[str] = TYPES  # of new tensors, as far as a node takes them
    most: ClassVar[int] = MOST

    def array(self, name: str) -> np.ndarray:
        """The value of a tensor."""
        return self.values[name].array

    def choice(self, *options: object) -> object:
        """One of the options."""
        return self.draw(st.sampled_from(options))

    def integer(self, low: int, high: int) -> int:
        """A number from `low` to `high`."""
        return self.draw(st.integers(low, high))

    def shape(self, low: int = 0, high: int = 5, size: int = 7) -> tuple[int, ...]:
        """A shape of that many dimensions and at most `MOST` elements; a dimension of size 1 is as likely as others."""
        sizes = st.one_of(st.just(1), st.integers(1, size), st.integers(1, size))
        dims = self.draw(st.lists(sizes, min_size=low, max_size=high))
        while prod(dims) > MOST:
            dims[dims.index(max(dims))] //= 2
        return tuple(dims)

    def axis(self, name: str) -> int:
        """One of the axes, counted from either end."""
        rank = self.array(name).ndim
        return self.integer(-rank, rank - 1)

    def axes(self, name: str, least: int = 0) -> list[int]:
        """Some of the axes."""
        rank = self.array(name).ndim
        return self.draw(st.lists(st.integers(0, rank - 1), min_size=least, max_size=rank, unique=True)) if rank else []

    def content(self, dtype: str, shape: Sequence[int]) -> np.ndarray:
        """Random numbers of moderate size."""
        if dtype in FLOATS:
            return np.asarray(self.random.standard_normal(tuple(shape)) * 2).astype(dtype)
        low, high = {"bool": (0, 2), "uint8": (0, 16)}.get(dtype, (-8, 9))
        return np.asarray(self.random.integers(low, high, tuple(shape))).astype(dtype)

    def input(self, array: np.ndarray) -> str:
        """A further input of the network, with the value that it has in the test."""
        name = f"x{len(self.inputs)}"
        self.inputs.append(name)
        self.values[name] = Value(np.asarray(array), exact=True)
        return name

    def constant(self, array: object, dtype: str = "") -> str:
        """A further initialiser."""
        name = f"c{len(self.constants)}"
        self.constants.append(name)
        self.values[name] = Value(np.asarray(array, dtype or None), exact=True)
        return name

    def integers(self, *values: int) -> str:
        """A constant list of int64, such as axes."""
        return self.constant(np.array(values, np.int64))

    def fresh(self, dtype: str, shape: Sequence[int], constant: bool | None = None) -> str:
        """An input, a constant, or what moves make of one, which stands in memory in another way."""
        constant = self.draw(st.booleans()) if constant is None else constant
        if not constant and 0 not in shape and self.integer(0, 3) == 3:
            return derived(self, dtype, tuple(shape))
        array = self.content(dtype, shape)
        return self.constant(array) if constant else self.input(array)

    def base(self, dtype: str, shape: Sequence[int]) -> str:
        """What a history begins with: an input, or a tensor that there is, in another shape."""
        size = prod(shape)
        near = [
            name
            for name, value in self.values.items()
            if name not in self.constants
            and value.exact
            and (str(value.array.dtype), value.array.size) == (dtype, size)
        ]
        if near and size and self.choice(True, False):
            name = str(self.choice(*near))
            if self.array(name).shape == tuple(shape):
                return name
            if made := self.add("Reshape", [name, self.integers(*shape)]):
                return made[0]
        return self.input(self.content(dtype, shape))

    def pick(self, dtypes: Collection[str], low: int = 0, high: int = 5, exact: bool = False, size: int = 7) -> str:
        """A tensor of one of the types and of `low` to `high` dimensions that a node or an input makes."""
        made = [name for name in self.values if name not in self.constants]
        fits = [name for name in made if self.fits(name, dtypes, low, high) and (self.values[name].exact or not exact)]
        if fits and self.integer(0, 5):
            return str(self.choice(*reversed(fits)))
        wanted = [dtype for dtype in dtypes if dtype in self.types] or dtypes
        return self.fresh(str(self.choice(*wanted)), self.shape(low, high, size), constant=False)

    def fits(self, name: str, dtypes: Collection[str], low: int, high: int) -> bool:
        """Whether a tensor is of one of the types, of so many dimensions, and finite."""
        array = self.array(name)
        return str(array.dtype) in dtypes and low <= array.ndim <= high and is_finite(array)

    def partner(self, name: str, exact: bool = False) -> str:
        """A tensor that broadcasts with `name`: an earlier one, a new input or a constant."""
        array = self.array(name)
        near = [
            other
            for other, value in self.values.items()
            if value.array.dtype == array.dtype and broadcasts(value.array, array) and (value.exact or not exact)
        ]
        if near and self.integer(0, 2) == 0:
            return str(self.choice(*near))
        kept = array.shape[self.integer(0, array.ndim) :]
        shape = tuple(self.choice(1, dim, dim) for dim in kept)
        if exact or 0 in shape or self.choice(True, False):
            return self.fresh(str(array.dtype), shape)
        return derived(self, str(array.dtype), shape, exact=False)

    def add(
        self, kind: str, operands: Sequence[str], outputs: int = 1, exact: bool = True, **attributes: object
    ) -> list[str]:
        """Append the node, and tell what it makes, unless onnxruntime refuses it or its values are of no use.

        `exact`: no float rounds.
        """
        names = [f"t{len(self.nodes)}_{index}" for index in range(outputs)]
        node = helper.make_node(kind, operands, names, f"n{len(self.nodes)}_{kind}", **attributes)
        given = [self.values[name] for name in operands if name]
        made = evaluate(node, {name: self.array(name) for name in operands if name}, self.constants)
        same = all(value.exact for value in given)
        if made is None or not all(
            is_useful(array, [value.array for value in given], same and exact) for array in made
        ):
            return []
        self.nodes.append(node)
        for name, array in zip(names, made, strict=True):
            self.values[name] = Value(array, same and (exact or str(array.dtype) not in FLOATS))
        return names

    def case(self) -> Case:
        """The graph as a model: what no node reads is an output, and some of what they read."""
        read = {name for node in self.nodes for name in node.input}
        made = [name for node in self.nodes for name in node.output]
        outputs = [name for name in made if name not in read or self.integer(0, 3) == 0]
        used = [name for name in self.inputs if name in read]
        graph = helper.make_graph(
            self.nodes,
            "random",
            [info(name, self.array(name)) for name in used],
            [info(name, self.array(name)) for name in outputs],
            [numpy_helper.from_array(self.array(name), name) for name in self.constants if name in read],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        onnx.checker.check_model(model, full_check=True)
        return Case(model, {name: self.array(name) for name in used}, {name: self.array(name) for name in outputs})


def is_finite(array: np.ndarray) -> bool:
    """Whether no element is NaN or infinite."""
    return str(array.dtype) not in FLOATS or bool(np.isfinite(array).all())


def is_useful(array: np.ndarray, operands: Iterable[np.ndarray], exact: bool) -> bool:
    """Whether a result is not too large, and not what cancellation leaves of inexact operands."""
    if array.size > MOST or array.ndim > 6 or not is_finite(array):
        return False
    if str(array.dtype) not in FLOATS or not array.size:
        return True
    largest = float(np.abs(array).max())
    before = max((float(np.abs(x).max()) for x in operands if str(x.dtype) in FLOATS and x.size), default=0.0)
    least = max(SMALLEST, SHARES[str(array.dtype)] * before)
    return largest <= LARGEST and (exact or largest >= least)


def broadcasts(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether the shapes of both go together."""
    try:
        return prod(np.broadcast_shapes(a.shape, b.shape)) <= MOST
    except ValueError:
        return False


def info(name: str, array: np.ndarray) -> onnx.ValueInfoProto:
    """What ONNX says of a tensor."""
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def evaluate(node: NodeProto, given: dict[str, np.ndarray], constants: Collection[str]) -> list[np.ndarray] | None:
    """The outputs of one node by onnxruntime; None if ONNX does not allow it, or onnxruntime has no kernel for it."""
    fixed = [numpy_helper.from_array(array, name) for name, array in given.items() if name in constants]
    inputs = [info(name, array) for name, array in given.items() if name not in constants]
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output]
    graph = helper.make_graph([node], "node", inputs, outputs, fixed)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    try:
        inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
        if all(output.type.tensor_type.HasField("shape") for output in inferred.graph.output):
            onnx.checker.check_model(inferred, full_check=True)  # wants a shape, which is not inferred of all operators
        session = exact_session(model)
        sample = {name: array for name, array in given.items() if name not in constants}
        made = [np.asarray(array) for array in session.run(None, sample)]
        return made if all(map(agrees, inferred.graph.output, made)) else None
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, *REFUSALS):
        return None


def agrees(inferred: onnx.ValueInfoProto, array: np.ndarray) -> bool:
    """Whether ONNX infers the shape that onnxruntime makes, as far as it infers one."""
    kind = inferred.type.tensor_type
    dims = [dim.dim_value if dim.HasField("dim_value") else None for dim in kind.shape.dim]
    if not kind.HasField("shape"):
        return True
    return len(dims) == array.ndim and all(a in (None, b) for a, b in zip(dims, array.shape, strict=True))


REFUSALS = tuple(
    getattr(onnxruntime.capi.onnxruntime_pybind11_state, name)
    for name in ("Fail", "InvalidArgument", "InvalidGraph", "NotImplemented", "RuntimeException")
)


@st.composite
def random_graphs(draw: st.DrawFn, operators: Collection[str], types: Collection[str] = TYPES) -> Case:
    """A case of 1 to 12 nodes of `operators` and what makes their operands, as far as the table has rows for them.

    What stands in `operators` several times is drawn as much more often; `types` are those of most tensors.
    """
    known = sorted(kind for kind in operators if kind in TABLE)
    graph = Graph(draw, np.random.default_rng(draw(st.integers(0, 1 << 16))), types=types)
    graph.input(graph.content(str(graph.choice(*types)), graph.shape()))
    for kind in draw(st.lists(st.sampled_from(known), min_size=1, max_size=12)):
        TABLE[kind](graph, kind)
    if not graph.nodes:
        graph.add("Identity", graph.inputs[:1])
    return graph.case()
