"""Products of two results as nests: sums of products over labelled dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import emit_nest
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.nests.body import COPY, BodyStep, NestBody
from compiler.nests.linear import Linear, Map
from compiler.nests.nest import Nest


def contract(
    node: Node,
    scope: Scope,
    operands: Sequence[SSAValue],
    labels: Sequence[Sequence[str]],
    result: Sequence[str],
    part: str = "",
) -> SSAValue:
    """The sum, over all labels that `result` lacks, of products of elements of operands whose dimensions are `labels`.

    One operand or two, of one element type. Dimensions of one label have one size, or 1, which broadcasts; a label that
    an operand has twice is its diagonal.
    """
    sizes = label_sizes(node, operands, labels)
    kept = dict.fromkeys(result)
    order = [*kept, *(label for label in sizes if label not in kept)]
    place = {label: Linear.dim(dim) for dim, label in enumerate(order)}
    maps = tuple(_map(shape_of(value), names, place) for value, names in zip(operands, labels, strict=True))
    parallel = tuple(label in kept for label in order)
    body = NestBody((BodyStep("mul", dtype_of(operands[0]), (0, 1)),)) if len(operands) == 2 else COPY
    combine = "" if all(parallel) else "add"
    space = tuple(max(1, sizes[label]) for label in order)
    nest = Nest(space, parallel, maps, tuple(place[label] for label in result), body, combine)
    return emit_nest(node, scope, operands, nest, [sizes[label] for label in result], part)


def sums_of_products(
    node: Node,
    scope: Scope,
    operands: Sequence[SSAValue],
    sizes: tuple[int, ...],
    maps: tuple[Map, Map, Map],
    shape: Sequence[int],
    part: str = "",
) -> SSAValue:
    """Products of elements of two operands, summed over the last dimension of `sizes`; `maps` are theirs and ours."""
    body = NestBody((BodyStep("mul", dtype_of(operands[0]), (0, 1)),))
    parallel = (*(True,) * (len(sizes) - 1), False)
    return emit_nest(node, scope, operands, Nest(sizes, parallel, maps[:2], maps[2], body, "add"), shape, part)


def label_sizes(node: Node, operands: Sequence[SSAValue], labels: Sequence[Sequence[str]]) -> dict[str, int]:
    """The size of each label, in the order in which they come; refused where dimensions of one label differ."""
    sizes: dict[str, int] = {}
    for value, names in zip(operands, labels, strict=True):
        shape = shape_of(value)
        if len(shape) != len(names):
            node.refuse(f"names {len(names)} dimensions of an operand of shape {list(shape)}")
        for name, size in zip(names, shape, strict=True):
            known = sizes.get(name, 1)
            if 1 not in (known, size) and known != size:
                node.refuse(f"multiplies dimensions of sizes {known} and {size}, which must be equal")
            sizes[name] = size if known == 1 else known
    return sizes


def _map(shape: Sequence[int], names: Sequence[str], place: Mapping[str, Linear]) -> Map:
    return tuple(Linear() if size == 1 else place[name] for name, size in zip(names, shape, strict=True))
