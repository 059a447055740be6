"""Imports operators that take elements from other places of a tensor: one nest each, whose maps say from where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from compiler.dialects.onnx import IdentityOp
from compiler.frontend.nodes.nests import broadcast_map, emit_nest, move
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.nests.linear import Linear, Map
from compiler.nests.nest import Nest

_SLICE_INPUTS = 10  # operator set since which starts and ends of Slice are inputs
Range = tuple[int, int, int]  # first index, step, count


def slices(node: Node, scope: Scope) -> SSAValue:
    """Slice: a range of indices of each axis; a step may be negative."""
    x = scope.value(node)
    shape = shape_of(x)
    starts, ends = (_bounds(node, scope, index, name) for index, name in ((1, "starts"), (2, "ends")))
    axes = _optional(node, scope, 3, "axes") or tuple(range(len(starts)))
    steps = _optional(node, scope, 4, "steps") or (1,) * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps):
        counts = f"{len(starts)} starts, {len(ends)} ends, {len(axes)} axes and {len(steps)} steps"
        node.refuse(f"has {counts}: it needs as many of each")
    node.axes(axes, len(shape))
    if 0 in steps:
        node.refuse("has a step of 0: it must be a positive or negative number")
    ranges = [(0, 1, size) for size in shape]
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        place = node.axis(axis, len(shape))
        ranges[place] = _range(start, end, step, shape[place])
    return sliced(node, scope, x, ranges)


def _bounds(node: Node, scope: Scope, index: int, name: str) -> tuple[int, ...]:
    if scope.opset < _SLICE_INPUTS:
        return node.integers(name, ())
    return tuple(int(value) for value in scope.constant(node, index, name).reshape(-1))


def _optional(node: Node, scope: Scope, index: int, name: str) -> tuple[int, ...]:
    if scope.opset >= _SLICE_INPUTS and not node.has_input(index):
        return ()
    return _bounds(node, scope, index, name)


def _range(start: int, end: int, step: int, size: int) -> Range:
    """The indices from `start` to before `end`; negative bounds count from the end, and all are clamped."""
    start, end = (bound + size if bound < 0 else bound for bound in (start, end))
    low, high = (0, size) if step > 0 else (-1, size - 1)
    first, last = min(max(start, 0), high), min(max(end, low), high)
    return first, step, max(0, -((first - last) // step))


def sliced(node: Node, scope: Scope, x: SSAValue, ranges: Sequence[Range], part: str = "") -> SSAValue:
    """A range of indices of each axis."""
    shape = shape_of(x)
    if all(wanted == (0, 1, size) for wanted, size in zip(ranges, shape, strict=True)):
        return scope.emit(IdentityOp, node, [x], shape, part=part)
    source = tuple(Linear.of(first, {dim: step}) for dim, (first, step, _) in enumerate(ranges))
    return move(node, scope, x, source, [count for _, _, count in ranges], part)


def expand(node: Node, scope: Scope) -> SSAValue:
    """Expand: the shapes of the operand and the one that is given broadcast against each other."""
    x, wanted = scope.value(node), [int(size) for size in scope.constant(node, 1, "shape").reshape(-1)]
    try:
        shape = np.broadcast_shapes(shape_of(x), wanted)
    except ValueError:
        node.refuse(f"expands shape {list(shape_of(x))} to {wanted}: they do not broadcast")
    if shape == shape_of(x):
        return scope.emit(IdentityOp, node, [x], shape)
    return move(node, scope, x, broadcast_map(shape_of(x), len(shape)), shape)


def tile(node: Node, scope: Scope) -> SSAValue:
    """Tile: each axis as often as `repeats` says."""
    x, repeats = scope.value(node), [int(count) for count in scope.constant(node, 1, "repeats").reshape(-1)]
    shape = shape_of(x)
    if len(repeats) != len(shape) or min(repeats, default=0) < 0:
        node.refuse(f"repeats {repeats} times, but needs one number from 0 on for each axis of shape {list(shape)}")
    source = [
        [(size, 1)] if count == 1 else [(count, 0), (size, 1)] for size, count in zip(shape, repeats, strict=True)
    ]
    return digits(node, scope, x, source)


def digits(
    node: Node,
    scope: Scope,
    x: SSAValue,
    parts: Sequence[Sequence[tuple[int, int]]],
    first: Mapping[int, int] | None = None,
    part: str = "",
) -> SSAValue:
    """Each axis counts with digits: pairs (size, factor with which the digit counts in `x`), outermost first.

    `first` are indices of `x` at which axes begin, 0 by default.
    """
    sizes, source, target, shape = list[int](), list[Linear](), list[Linear](), list[int]()
    for place, axis in enumerate(parts):
        dims = range(len(sizes), len(sizes) + len(axis))
        sizes += [size for size, _ in axis]
        factors = {dim: factor for dim, (_, factor) in zip(dims, axis, strict=True)}
        source.append(Linear.of((first or {}).get(place, 0), factors))
        target.append(_counting(dims, sizes))
        shape.append(prod(size for size, _ in axis))
    return _moved(node, scope, x, sizes, (tuple(source), tuple(target)), shape, part)


def _counting(dims: Sequence[int], sizes: Sequence[int]) -> Linear:
    """The number whose digits are the counters of `dims`, outermost first."""
    factors, unit = dict[int, int](), 1
    for dim in reversed(dims):
        factors[dim] = unit
        unit *= sizes[dim]
    return Linear.of(0, factors)


def _moved(
    node: Node, scope: Scope, x: SSAValue, sizes: Sequence[int], maps: tuple[Map, Map], shape: Sequence[int], part: str
) -> SSAValue:
    source, target = maps
    space = tuple(max(1, size) for size in sizes)
    return emit_nest(node, scope, [x], Nest(space, (True,) * len(space), (source,), target), shape, part)


def depth_to_space(node: Node, scope: Scope) -> SSAValue:
    """DepthToSpace: blocks of channels become blocks of pixels; in mode DCR, the block is the outer part of these."""
    x, block = _blocks(node, scope)
    batch, channels, height, width = shape_of(x)
    if channels % block**2:
        node.refuse(f"cannot spread {channels} channels over blocks of {block} x {block} pixels")
    kept = channels // block**2
    spread = node.text("mode", "DCR") == "DCR"
    # n, row of the block, column of the block, channel, y, x: what the counters of the loops are
    sizes = (batch, block, block, kept, height, width)
    order = (1, 2, 3) if spread else (3, 1, 2)
    source = (Linear.dim(0), _counting(order, sizes), Linear.dim(4), Linear.dim(5))
    target = (Linear.dim(0), Linear.dim(3), _counting((4, 1), sizes), _counting((5, 2), sizes))
    return _moved(node, scope, x, sizes, (source, target), (batch, kept, height * block, width * block), "")


def space_to_depth(node: Node, scope: Scope) -> SSAValue:
    """SpaceToDepth: blocks of pixels become blocks of channels; in mode CRD, the block is the inner part of these."""
    x, block = _blocks(node, scope)
    batch, channels, height, width = shape_of(x)
    if height % block or width % block:
        node.refuse(f"cannot cut {height} x {width} pixels into blocks of {block} x {block}")
    sizes = (batch, block, block, channels, height // block, width // block)
    order = (1, 2, 3) if node.text("mode", "DCR") == "DCR" else (3, 1, 2)
    source = (Linear.dim(0), Linear.dim(3), _counting((4, 1), sizes), _counting((5, 2), sizes))
    target = (Linear.dim(0), _counting(order, sizes), Linear.dim(4), Linear.dim(5))
    shape = (batch, channels * block**2, height // block, width // block)
    return _moved(node, scope, x, sizes, (source, target), shape, "")


def _blocks(node: Node, scope: Scope) -> tuple[SSAValue, int]:
    """The operand, an image, and the size of the blocks."""
    x, block = scope.value(node), node.integer("blocksize", 0)
    if len(shape_of(x)) != 4 or block < 1:
        node.refuse(f"needs [N, C, H, W] and blocks of 1 or more pixels, not {list(shape_of(x))} and {block}")
    return x, block


OPERATORS = {
    "Slice": slices,
    "Expand": expand,
    "Tile": tile,
    "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth,
}
