"""What import functions emit structured nests with: functions of elements, reductions, moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import SSAValue

from compiler.dialects.nest import GenericOp
from compiler.dialects.nest_attributes import nest_properties
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.nests.body import COPY
from compiler.nests.expression import Value, body_of
from compiler.nests.linear import Linear, Map, broadcast_map, identity
from compiler.nests.nest import Nest


def emit_nest(
    node: Node, scope: Scope, operands: Sequence[SSAValue], nest: Nest, shape: Sequence[int], part: str = ""
) -> SSAValue:
    """Append a nest of `node` that makes a tensor of `shape`; `part` names it where the node becomes several."""
    dtype = nest.body.dtype([dtype_of(value) for value in operands])
    return scope.emit(GenericOp, node, operands, shape, nest_properties(nest), part, dtype)


def broadcast(node: Node, values: Sequence[SSAValue]) -> tuple[int, ...]:
    """The shape that operands broadcast to; refused if they do not."""
    try:
        return np.broadcast_shapes(*(shape_of(value) for value in values))
    except ValueError:
        shapes = " and ".join(str(list(shape_of(value))) for value in values)
        node.refuse(f"has operands of shape {shapes}, which do not broadcast")


def elementwise(
    node: Node, scope: Scope, operands: Sequence[SSAValue], write: Callable[..., Value], part: str = ""
) -> SSAValue:
    """A function of the elements of operands, which broadcast against each other."""
    return written(node, scope, operands, write, broadcast(node, operands), part)


def written(
    node: Node,
    scope: Scope,
    operands: Sequence[SSAValue],
    write: Callable[..., Value],
    shape: Sequence[int],
    part: str = "",
) -> SSAValue:
    """A function of the elements of operands that broadcast to `shape`; it may use the `index` in the result."""
    maps = [broadcast_map(shape_of(value), len(shape)) for value in operands]
    return mapped(node, scope, operands, maps, write, (shape, identity(len(shape))), shape, part=part)


def mapped(
    node: Node,
    scope: Scope,
    operands: Sequence[SSAValue],
    maps: Sequence[Map],
    write: Callable[..., Value] | None,
    result: tuple[Sequence[int], Map],
    sizes: Sequence[int],
    combine: str = "",
    part: str = "",
) -> SSAValue:
    """A function of the elements that operands have at the points of a space of `sizes`, by `maps`.

    `result` is its shape and its map; what points give that are one element of it is put together by `combine`.
    Without `write` it is the element of the only operand.
    """
    shape, target = result
    body = body_of([dtype_of(value) for value in operands], write)[0] if write is not None else COPY
    kept = {dim for index in target for dim, _ in index.factors}
    parallel = tuple(not combine or dim in kept for dim in range(len(sizes)))
    space = tuple(max(1, size) for size in sizes)
    nest = Nest(space, parallel, tuple(maps), target, body, "" if all(parallel) else combine)
    return emit_nest(node, scope, operands, nest, shape, part)


def reduce(
    node: Node,
    scope: Scope,
    operands: SSAValue | Sequence[SSAValue],
    axes: Sequence[int],
    combine: str,
    write: Callable[..., Value] | None = None,
    *,
    keep: bool = True,
    part: str = "",
) -> SSAValue:
    """`combine` over `axes` of what `write` makes of the elements of operands that broadcast to the first one.

    `keep`: the axes stay, of size 1. Without axes it is what `write` makes.
    """
    values = [operands] if isinstance(operands, SSAValue) else operands
    sizes = shape_of(values[0])
    kept = [dim for dim in range(len(sizes)) if dim not in axes]
    shape = [1 if dim in axes else size for dim, size in enumerate(sizes) if keep or dim not in axes]
    target = tuple(Linear.dim(dim) if dim in kept else Linear() for dim in range(len(sizes)) if keep or dim in kept)
    maps = [identity(len(sizes)), *(broadcast_map(shape_of(value), len(sizes)) for value in values[1:])]
    return mapped(node, scope, values, maps, write, (shape, target), sizes, combine, part)


def move(node: Node, scope: Scope, x: SSAValue, source: Map, shape: Sequence[int], part: str = "") -> SSAValue:
    """The tensor of `shape` whose element at a point is that of `x` at the indices `source` of the point."""
    rank, sizes = len(shape), tuple(max(1, size) for size in shape)
    return emit_nest(node, scope, [x], Nest(sizes, (True,) * rank, (source,), identity(rank)), shape, part)
