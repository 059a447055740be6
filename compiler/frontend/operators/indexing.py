"""Imports what addresses by data: Gather, Scatter and their kin, ArgMax, ArgMin, TopK, OneHot."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import SSAValue

from compiler.dialects.indexed import ArgOp, GatherOp, PutOp, TopKOp
from compiler.dialects.onnx import ReshapeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import emit_nest, move, written
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.taking import gather_known
from compiler.nests.expression import Value, body_of, cast, index, select
from compiler.nests.linear import Linear, identity
from compiler.nests.nest import Nest
from emu.isa.dtypes import ALL, INTEGERS, NUMBERS, PLACES, DType

_PUTS = {"none": "assign", "add": "add", "mul": "mul", "max": "max", "min": "min"}
_NOWHERE = 1 << 40  # an index that no tensor has: the place of one that is outside in one of its dimensions


def _lines(shape: Sequence[int], axis: int) -> tuple[int, int, int]:
    """A shape as [outer, entries, inner] around an axis."""
    return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])


def _reshaped(node: Node, scope: Scope, x: SSAValue, shape: Sequence[int], part: str) -> SSAValue:
    return x if shape_of(x) == tuple(shape) else scope.emit(ReshapeOp, node, [x], shape, part=part)


def _indices(node: Node, scope: Scope, place: int) -> SSAValue:
    """Input `place`, which must be int32 or int64."""
    value = scope.value(node, place)
    if dtype_of(value) not in PLACES:
        node.refuse(f"has indices of {dtype_of(value).numpy}: they must be int32 or int64")
    return value


def gather(node: Node, scope: Scope) -> SSAValue:
    """Entries of an axis, by indices of any shape, which may count from the end."""
    known = gather_known(node, scope) if node.inputs[1] in scope.constants else None
    if known is not None:
        return known
    x, indices = scope.value(node), _indices(node, scope, 1)
    shape, places = shape_of(x), shape_of(indices)
    axis = node.axis(node.integer("axis", 0), len(shape))
    outer, entries, inner = _lines(shape, axis)
    count = math.prod(places)
    table = _reshaped(node, scope, x, (outer, entries, inner), "lines")
    flat = _reshaped(node, scope, indices, (count,), "indices")
    result = (*shape[:axis], *places, *shape[axis + 1 :])
    if result == (outer, count, inner):
        return scope.emit(GatherOp, node, [table, flat], result, dtype=dtype_of(x))
    made = scope.emit(GatherOp, node, [table, flat], (outer, count, inner), part="gathered", dtype=dtype_of(x))
    return scope.emit(ReshapeOp, node, [made], result)


def gather_elements(node: Node, scope: Scope) -> SSAValue:
    """Along an axis, an entry for each index; other dimensions of the indices may be shorter than those of x."""
    x, indices = scope.value(node), _indices(node, scope, 1)
    shape, places = shape_of(x), shape_of(indices)
    axis = _fitting_axis(node, shape, places)
    cropped = tuple(shape[dim] if dim == axis else size for dim, size in enumerate(places))
    if cropped != shape:
        x = move(node, scope, x, identity(len(shape)), cropped, "cropped")
    lines, wanted = _lines(cropped, axis), _lines(places, axis)
    operands = [_reshaped(node, scope, x, lines, "lines"), _reshaped(node, scope, indices, wanted, "indices")]
    made = scope.emit(GatherOp, node, operands, wanted, part="gathered", dtype=dtype_of(x))
    return scope.emit(ReshapeOp, node, [made], places)


def _fitting_axis(node: Node, shape: Sequence[int], places: Sequence[int]) -> int:
    """The axis of a node whose indices have a shape `places`; refused unless that fits."""
    if len(shape) != len(places) or not shape:
        node.refuse(
            f"has indices of shape {list(places)} for data of shape {list(shape)}: both need as many dimensions"
        )
    axis = node.axis(node.integer("axis", 0), len(shape))
    if any(size > full for dim, (size, full) in enumerate(zip(places, shape, strict=True)) if dim != axis):
        node.refuse(f"has indices of shape {list(places)}, which is larger than its data {list(shape)}")
    return axis


def gather_nd(node: Node, scope: Scope) -> SSAValue:
    """Slices of x by index vectors, for each batch its own."""
    x, indices = scope.value(node), _indices(node, scope, 1)
    shape, places, batch = shape_of(x), shape_of(indices), node.integer("batch_dims", 0)
    last = _vector_length(node, shape, places, batch)
    if batch and shape[:batch] != places[:batch]:
        node.refuse(f"has {batch} batch dimensions, but shapes {list(shape)} and {list(places)}")
    outer, entries = math.prod(shape[:batch]), math.prod(shape[batch : batch + last])
    rest, count = shape[batch + last :], math.prod(places[batch:-1])
    flat = _linear_indices(node, scope, indices, shape[batch : batch + last])
    inner = math.prod(rest)
    table = _reshaped(node, scope, x, (outer, entries, inner), "lines")
    if outer == 1:
        wanted = _reshaped(node, scope, flat, (count,), "places")
    else:  # an index for each element: those of a batch are its own
        rows = _reshaped(node, scope, flat, (outer, count, 1), "rows")
        source = (Linear.dim(0), Linear.dim(1), Linear())
        wanted = move(node, scope, rows, source, (outer, count, inner), "places")
    made = scope.emit(GatherOp, node, [table, wanted], (outer, count, inner), part="gathered", dtype=dtype_of(x))
    return scope.emit(ReshapeOp, node, [made], (*places[:-1], *rest))


def _vector_length(node: Node, shape: Sequence[int], places: Sequence[int], batch: int) -> int:
    """The length of index vectors; refused unless they are inside of the dimensions that there are."""
    last = places[-1] if places else 0
    if not places or not 1 <= last <= len(shape) - batch or not 0 <= batch < min(len(shape), len(places)):
        node.refuse(f"has index vectors of shape {list(places)} for data of shape {list(shape)}: they do not fit")
    return last


def _linear_indices(node: Node, scope: Scope, indices: SSAValue, sizes: Sequence[int]) -> SSAValue:
    """Index vectors [..., k] as one index each into a tensor of `sizes`; one that is outside is outside there, too."""
    places = shape_of(indices)[:-1]
    if len(sizes) == 1:
        return _reshaped(node, scope, indices, places, "vectors")
    rank, strides = len(places), [math.prod(sizes[at + 1 :]) for at in range(len(sizes))]

    def write(*parts: Value) -> Value:
        total: Value | None = None
        for part, size, stride in zip(parts, sizes, strides, strict=True):
            place = cast(part, DType.i64)
            inside = (place >= -size) & (place < size)
            term = select(inside, select(place < 0, place + size, place) * stride, _NOWHERE)
            total = term if total is None else total + term
        assert total is not None  # of at least two
        return total

    body, _ = body_of([dtype_of(indices)] * len(sizes), write)
    maps = tuple((*identity(rank), Linear(at)) for at in range(len(sizes)))
    space = tuple(max(1, size) for size in places)
    nest = Nest(space, (True,) * rank, maps, identity(rank), body)
    return emit_nest(node, scope, [indices] * len(sizes), nest, places, "vectors")


def _reduction(node: Node) -> str:
    text = node.text("reduction", "none")
    if text not in _PUTS:
        node.refuse(f"has the reduction '{text}': it must be one of {', '.join(_PUTS)}")
    return _PUTS[text]


def scatter_elements(node: Node, scope: Scope) -> SSAValue:
    """A copy of x in which, along an axis, updates replace the entries that indices name, or are combined with them."""
    x, indices, updates = scope.value(node), _indices(node, scope, 1), scope.value(node, 2)
    shape, places = shape_of(x), shape_of(indices)
    axis = _fitting_axis(node, shape, places)
    if shape_of(updates) != places or dtype_of(updates) != dtype_of(x):
        node.refuse(f"has updates of shape {list(shape_of(updates))} for indices of {list(places)}, or of another type")
    if any(size != full for dim, (size, full) in enumerate(zip(places, shape, strict=True)) if dim != axis):
        return _scatter_part(node, scope, (x, indices, updates), axis)
    lines, wanted = _lines(shape, axis), _lines(places, axis)
    named = ((x, lines, "lines"), (indices, wanted, "indices"), (updates, wanted, "updates"))
    operands = [_reshaped(node, scope, value, sizes, part) for value, sizes, part in named]
    made = scope.emit(PutOp, node, operands, lines, {"combine": _reduction(node)}, "put", dtype_of(x))
    return scope.emit(ReshapeOp, node, [made], shape)


def _scatter_part(node: Node, scope: Scope, values: tuple[SSAValue, SSAValue, SSAValue], axis: int) -> SSAValue:
    """Indices that leave out entries of other dimensions than `axis`: each as an index into all of x."""
    x, indices, updates = values
    shape, places = shape_of(x), shape_of(indices)
    strides = [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]

    def write(place: Value) -> Value:
        wide, size = cast(place, DType.i64), shape[axis]
        inside = (wide >= -size) & (wide < size)
        total = select(inside, select(wide < 0, wide + size, wide) * strides[axis], _NOWHERE)
        for dim, stride in enumerate(strides):
            if dim != axis:
                total = total + index(dim) * stride
        return total

    flat, count = written(node, scope, [indices], write, places, "places"), math.prod(places)
    operands = [
        _reshaped(node, scope, x, (1, math.prod(shape), 1), "lines"),
        _reshaped(node, scope, flat, (count,), "indices"),
        _reshaped(node, scope, updates, (1, count, 1), "updates"),
    ]
    properties = {"combine": _reduction(node)}
    made = scope.emit(PutOp, node, operands, (1, math.prod(shape), 1), properties, "put", dtype_of(x))
    return scope.emit(ReshapeOp, node, [made], shape)


def scatter_nd(node: Node, scope: Scope) -> SSAValue:
    """A copy of x in which updates replace the slices that index vectors name, or are combined with them."""
    x, indices, updates = scope.value(node), _indices(node, scope, 1), scope.value(node, 2)
    shape, places = shape_of(x), shape_of(indices)
    last = _vector_length(node, shape, places, 0)
    rest, count = shape[last:], math.prod(places[:-1])
    if shape_of(updates) != (*places[:-1], *rest) or dtype_of(updates) != dtype_of(x):
        node.refuse(
            f"has updates of shape {list(shape_of(updates))}: {[*places[:-1], *rest]} of the data's type are needed"
        )
    entries, inner = math.prod(shape[:last]), math.prod(rest)
    operands = [
        _reshaped(node, scope, x, (1, entries, inner), "lines"),
        _reshaped(node, scope, _linear_indices(node, scope, indices, shape[:last]), (count,), "places"),
        _reshaped(node, scope, updates, (1, count, inner), "updates"),
    ]
    made = scope.emit(PutOp, node, operands, (1, entries, inner), {"combine": _reduction(node)}, "put", dtype_of(x))
    return scope.emit(ReshapeOp, node, [made], shape)


def arg(node: Node, scope: Scope) -> SSAValue:
    """ArgMax and ArgMin: the index, int64, along an axis."""
    x = scope.value(node)
    shape = shape_of(x)
    if dtype_of(x) not in NUMBERS:
        node.refuse(f"compares elements of {dtype_of(x).numpy}, which are no numbers")
    axis = node.axis(node.integer("axis", 0), len(shape))
    outer, entries, inner = _lines(shape, axis)
    if not entries:
        node.refuse(f"has an operand of shape {list(shape)}: there is no element along axis {axis}")
    lines = _reshaped(node, scope, x, (outer, entries, inner), "lines")
    kind, last = ("max" if node.kind == "ArgMax" else "min"), int(bool(node.integer("select_last_index", 0)))
    made = scope.emit(ArgOp, node, [lines], (outer, inner), {"kind": kind, "last": last}, "places", DType.i64)
    keep = node.integer("keepdims", 1)
    result = [1 if dim == axis else size for dim, size in enumerate(shape) if keep or dim != axis]
    return scope.emit(ReshapeOp, node, [made], result)


def topk(node: Node, scope: Scope) -> tuple[SSAValue, ...]:
    """Values and indices, int64, of the k largest or smallest entries along an axis, in order."""
    x = scope.value(node)
    shape = shape_of(x)
    axis = node.axis(node.integer("axis", -1), len(shape))
    given = scope.constant(node, 1, "k").reshape(-1) if node.has_input(1) else [node.integer("k", 0)]
    k = int(given[0])
    if dtype_of(x) not in NUMBERS or not 0 < k <= shape[axis]:
        node.refuse(f"wants {k} of {shape[axis]} elements of {dtype_of(x).numpy} along axis {axis}")
    outer, entries, inner = _lines(shape, axis)
    lines = _reshaped(node, scope, x, (outer, entries, inner), "lines")
    largest, three = int(bool(node.integer("largest", 1))), (outer, k, inner)
    properties = {"largest": largest}
    made = scope.emit_all(TopKOp, node, [lines], [three, three], properties, [dtype_of(x), DType.i64], "sorted")
    result = (*shape[:axis], k, *shape[axis + 1 :])
    return tuple(
        scope.emit(ReshapeOp, node, [value], result, part="" if place == 0 else "places", output=place)
        for place, value in enumerate(made[: len(node.outputs)])
    )


def one_hot(node: Node, scope: Scope) -> SSAValue:
    """The second of two values where the index along the new axis is the one given, else the first."""
    indices, values = scope.value(node), scope.value(node, 2)
    depth = int(scope.constant(node, 1, "depth").reshape(-1)[0])
    shape = shape_of(indices)
    axis = node.axis(node.integer("axis", -1), len(shape) + 1)
    if dtype_of(indices) not in INTEGERS or dtype_of(values) not in ALL or shape_of(values) != (2,) or depth < 1:
        node.refuse(
            f"has {dtype_of(indices).numpy} indices and a depth of {depth}: integers and a positive depth are needed"
        )
    result = (*shape[:axis], depth, *shape[axis:])
    dims = [dim for dim in range(len(result)) if dim != axis]

    def write(place: Value, off: Value, on: Value) -> Value:
        wide = cast(place, DType.i64)
        return select(index(axis).same(select(wide < 0, wide + depth, wide)), on, off)

    body, _ = body_of([dtype_of(indices), dtype_of(values), dtype_of(values)], write)
    maps = tuple(Linear.dim(dim) for dim in dims), (Linear(),), (Linear(1),)
    space = tuple(max(1, size) for size in result)
    nest = Nest(space, (True,) * len(result), maps, identity(len(result)), body)
    return emit_nest(node, scope, [indices, values, values], nest, result)


OPERATORS = {
    "Gather": gather,
    "GatherElements": gather_elements,
    "GatherND": gather_nd,
    "Scatter": scatter_elements,
    "ScatterElements": scatter_elements,
    "ScatterND": scatter_nd,
    "ArgMax": arg,
    "ArgMin": arg,
    "TopK": topk,
    "OneHot": one_hot,
}
