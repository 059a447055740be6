"""Imports Gather by indices that are known: as few nests along an axis as they have progressions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from compiler.basis.weights import Array
from compiler.dialects.onnx import ConcatOp, ReshapeOp
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.slicing import Range, digits, sliced

_MOST_PIECES = 16  # nests that a Gather may become: a look-up by index costs no more than some of them


def progressions(indices: Sequence[int]) -> list[Range]:
    """(first, step, count) of the arithmetic progressions that `indices` are, from left to right as long as they go."""
    found, at = list[Range](), 0
    while at < len(indices):
        end = min(at + 2, len(indices))
        step = indices[end - 1] - indices[at]
        while end < len(indices) and indices[end] - indices[end - 1] == step:
            end += 1
        found.append((indices[at], step, end - at))
        at = end
    return found


def two_digits(indices: Array) -> tuple[Range, Range] | None:
    """(first, step, count) of an outer and of an inner progression that together are `indices`; None if none are."""
    for inner in range(2, len(indices) // 2 + 1):
        if len(indices) % inner == 0:
            rows = indices.reshape(-1, inner)
            outer_step, inner_step = int(rows[1, 0] - rows[0, 0]), int(rows[0, 1] - rows[0, 0])
            first = int(indices[0])
            made = first + outer_step * np.arange(len(rows))[:, None] + inner_step * np.arange(inner)
            if np.array_equal(made, rows):
                return (first, outer_step, len(rows)), (0, inner_step, inner)
    return None


def pieces(indices: Array) -> int:
    """How many nests `take` makes of these indices."""
    return 1 if two_digits(indices) is not None else len(progressions(indices.tolist()))


def take(node: Node, scope: Scope, x: SSAValue, axis: int, indices: Array, part: str = "") -> SSAValue:
    """The elements of `x` at `indices`, none of them negative, along `axis`."""
    shape = shape_of(x)
    whole = [(0, 1, size) for size in shape]
    runs = progressions(indices.tolist())
    if len(runs) <= 1:
        run = runs[0] if runs else (0, 1, 0)
        return sliced(node, scope, x, [*whole[:axis], run, *whole[axis + 1 :]], part)
    nested = two_digits(indices)
    if nested is not None:
        (first, outer_step, outer), (_, inner_step, inner) = nested
        axes = [[(size, 1)] for size in shape]
        axes[axis] = [(outer, outer_step), (inner, inner_step)]
        return digits(node, scope, x, axes, {axis: first}, part)
    prefix = f"{part}/" if part else ""
    made = [
        sliced(node, scope, x, [*whole[:axis], run, *whole[axis + 1 :]], f"{prefix}part{number}")
        for number, run in enumerate(runs)
    ]
    total = (*shape[:axis], len(indices), *shape[axis + 1 :])
    return scope.emit(ConcatOp, node, made, total, {"axis": axis}, part)


def gather_known(node: Node, scope: Scope) -> SSAValue | None:
    """Gather by indices that are known, negative ones from the end; None if they are too many progressions."""
    x = scope.value(node)
    shape, given = shape_of(x), scope.constant(node, 1, "indices")
    axis = node.axis(node.integer("axis", 0), len(shape))
    if given.size and (int(given.min()) < -shape[axis] or int(given.max()) >= shape[axis]):
        node.refuse(f"takes index {given.min()} to {given.max()} of axis {axis}, which has {shape[axis]} elements")
    flat = np.where(given < 0, given + shape[axis], given).reshape(-1).astype(np.int64)
    if pieces(flat) > _MOST_PIECES:
        return None
    if given.ndim == 1:
        return take(node, scope, x, axis, flat)
    made = (*shape[:axis], *given.shape, *shape[axis + 1 :])
    return scope.emit(ReshapeOp, node, [take(node, scope, x, axis, flat, "taken")], made)
