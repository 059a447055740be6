"""Imports Pad: a number around a tensor, or elements of its own; negative pads cut off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from xdsl.ir import SSAValue

from compiler.dialects.onnx import ConcatOp, IdentityOp, PadOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import move
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.slicing import sliced
from compiler.frontend.operators.taking import take
from compiler.nests.linear import Linear

_PADS_INPUT = 11  # operator set since which pads and value are inputs
_CONSTANT = "constant"
_MODES: dict[str, Literal["reflect", "edge", "wrap"]] = {"reflect": "reflect", "edge": "edge", "wrap": "wrap"}
Pads = list[tuple[int, int]]  # elements before and after, for each axis


def pad(node: Node, scope: Scope) -> SSAValue:
    """Pad, in all modes."""
    x, mode = scope.value(node), node.text("mode", _CONSTANT)
    shape, pads = shape_of(x), _pads(node, scope, len(shape_of(x)))
    if mode not in (_CONSTANT, *_MODES):
        node.refuse(f"has mode '{mode}': known are {', '.join((_CONSTANT, *_MODES))}")
    kept = [size + min(0, before) + min(0, after) for size, (before, after) in zip(shape, pads, strict=True)]
    if min(kept, default=0) < 0:
        node.refuse(f"cuts off more than there is of shape {list(shape)}: pads {pads}")
    if not any(any(both) for both in pads):
        return scope.emit(IdentityOp, node, [x], shape)
    if mode != _CONSTANT:
        return _extended(node, scope, x, pads, mode)
    if 0 in kept and 0 not in [size + sum(both) for size, both in zip(shape, pads, strict=True)]:
        node.refuse(f"keeps no element of shape {list(shape)}: its result is a constant, compute it in the model")
    given = node.has_input(2) and node.inputs[2] not in scope.constants
    return _computed(node, scope, x, pads) if given else _constant(node, scope, x, pads)


def _pads(node: Node, scope: Scope, rank: int) -> Pads:
    """Elements before and after each axis; those of the axes that are named, if some are."""
    if scope.opset < _PADS_INPUT:
        flat, axes = node.integers("pads", ()), tuple(range(rank))
    else:
        flat = tuple(int(value) for value in scope.constant(node, 1, "pads").reshape(-1))
        axes = tuple(range(rank))
        if node.has_input(3):
            named = [int(value) for value in scope.constant(node, 3, "axes").reshape(-1)]
            node.axes(named, rank)
            axes = tuple(node.axis(axis, rank) for axis in named)
    if len(flat) != 2 * len(axes):
        node.refuse(f"has {len(flat)} pads, but needs two for each of {len(axes)} axes")
    pads = [(0, 0)] * rank
    for place, axis in enumerate(axes):
        pads[axis] = flat[place], flat[place + len(axes)]
    return pads


def _constant(node: Node, scope: Scope, x: SSAValue, pads: Pads) -> SSAValue:
    """A number that is known."""
    dtype, value = dtype_of(x), node.attributes.get("value", 0)
    if scope.opset >= _PADS_INPUT:
        value = scope.constant(node, 2, "value").reshape(-1)[0] if node.has_input(2) else 0
    shape = [size + sum(both) for size, both in zip(shape_of(x), pads, strict=True)]
    flat = [both[end] for end in (0, 1) for both in pads]
    number = float(value) if dtype.is_float else int(value)
    return scope.emit(PadOp, node, [x], shape, {"pads": flat, "value": number})


def _computed(node: Node, scope: Scope, x: SSAValue, pads: Pads) -> SSAValue:
    """A number that another node computes: copies of it are joined with what is kept, axis by axis."""
    value = scope.value(node, 2)
    if dtype_of(value) != dtype_of(x) or int(np.prod(shape_of(value))) != 1:
        node.refuse(f"pads with {value.type}, but it must be one number of the type of its operand")
    x = _cropped(node, scope, x, pads)
    last = max(axis for axis, both in enumerate(pads) if max(both) > 0) if any(max(both) > 0 for both in pads) else -1
    for axis, both in enumerate(pads):
        if max(both) <= 0:
            continue
        shape, parts = shape_of(x), [x]
        for end, count in enumerate(both):
            if count > 0:
                sizes = (*shape[:axis], count, *shape[axis + 1 :])
                name = f"axis{axis}/{('before', 'after')[end]}"
                made = move(node, scope, value, (Linear(),) * len(shape_of(value)), sizes, name)
                parts.insert(0 if end == 0 else len(parts), made)
        total = (*shape[:axis], shape[axis] + sum(max(0, count) for count in both), *shape[axis + 1 :])
        x = scope.emit(ConcatOp, node, parts, total, {"axis": axis}, "" if axis == last else f"axis{axis}")
    return x


def _cropped(node: Node, scope: Scope, x: SSAValue, pads: Pads) -> SSAValue:
    """What negative pads leave; it is called like the result if nothing is added to it."""
    if not any(min(both) < 0 for both in pads):
        return x
    ranges = [
        (max(0, -before), 1, size + min(0, before) + min(0, after))
        for size, (before, after) in zip(shape_of(x), pads, strict=True)
    ]
    return sliced(node, scope, x, ranges, "kept" if any(max(both) > 0 for both in pads) else "")


def _extended(node: Node, scope: Scope, x: SSAValue, pads: Pads, mode: str) -> SSAValue:
    """Elements of the operand itself, after it was cut: each axis is taken by the indices that the mode gives."""
    x = _cropped(node, scope, x, pads)
    changed = [axis for axis, both in enumerate(pads) if max(both) > 0]
    for axis in changed:
        before, after = (max(0, count) for count in pads[axis])
        x = take(node, scope, x, axis, _indices(node, shape_of(x)[axis], (before, after), mode), _part(axis, changed))
    return x


def _part(axis: int, changed: Sequence[int]) -> str:
    return "" if axis == changed[-1] else f"axis{axis}"


def _indices(node: Node, size: int, both: tuple[int, int], mode: str) -> np.ndarray:
    if not size:
        node.refuse(f"has no element along an axis that it extends in mode '{mode}'")
    return np.pad(np.arange(size), both, mode=_MODES[mode])


OPERATORS = {"Pad": pad}
