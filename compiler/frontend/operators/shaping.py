"""Imports operators that only change shape or order: axes and shapes from attributes or constant inputs."""

from __future__ import annotations

import math

from xdsl.ir import SSAValue

from compiler.dialects.onnx import ConcatOp, FlattenOp, ReshapeOp, SplitOp, SqueezeOp, TransposeOp, UnsqueezeOp
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of

_AXES_INPUT = 13  # operator set since which Split, Squeeze and Unsqueeze take sizes and axes as an input
_UNEVEN_PARTS = 18  # operator set since which the last part of a Split without sizes may be smaller


def concat(node: Node, scope: Scope) -> SSAValue:
    """Concat: joins along one axis; all other dimensions must agree."""
    values = [scope.value(node, index) for index in range(len(node.inputs))]
    shapes = [shape_of(value) for value in values]
    axis = node.axis(node.integer("axis", 1), len(shapes[0]))
    if len({(*shape[:axis], 0, *shape[axis + 1 :]) for shape in shapes}) != 1:
        node.refuse(f"joins shapes {[list(shape) for shape in shapes]} along axis {axis}: they do not fit")
    total = sum(shape[axis] for shape in shapes)
    return scope.emit(ConcatOp, node, values, (*shapes[0][:axis], total, *shapes[0][axis + 1 :]), {"axis": axis})


def split(node: Node, scope: Scope) -> tuple[SSAValue, ...]:
    """Split: one part for each output, of the sizes that are given, or equal ones."""
    x = scope.value(node)
    shape = shape_of(x)
    axis = node.axis(node.integer("axis", 0), len(shape))
    sizes = _constant_integers(node, scope, "split") or _equal_parts(node, scope, shape[axis])
    if len(sizes) != len(node.outputs) or sum(sizes) != shape[axis] or min(sizes) < 0:
        node.refuse(f"cannot cut axis {axis} of shape {list(shape)} into {len(node.outputs)} parts of {list(sizes)}")
    shapes = [(*shape[:axis], size, *shape[axis + 1 :]) for size in sizes]
    return scope.emit_all(SplitOp, node, [x], shapes, {"axis": axis, "split": sizes})


def _equal_parts(node: Node, scope: Scope, size: int) -> tuple[int, ...]:
    """The sizes of as many parts as there are outputs; from one operator set on, the last may be smaller."""
    count = len(node.outputs)
    if scope.opset < _UNEVEN_PARTS:
        return (size // count,) * count
    part = -(-size // count)
    return (*(part,) * (count - 1), size - part * (count - 1))


def flatten(node: Node, scope: Scope) -> SSAValue:
    """Flatten: a matrix, whose columns are the dimensions from `axis` on (none if `axis` is their number)."""
    x = scope.value(node)
    shape = shape_of(x)
    axis = node.axis(node.integer("axis", 1), len(shape), last=len(shape))
    return scope.emit(FlattenOp, node, [x], (math.prod(shape[:axis]), math.prod(shape[axis:])), {"axis": axis})


def reshape(node: Node, scope: Scope) -> SSAValue:
    """Reshape: 0 keeps a dimension (unless `allowzero`), and one -1 stands for what is left."""
    x, wanted = scope.value(node), [int(dim) for dim in scope.constant(node, 1, "shape").reshape(-1)]
    shape = shape_of(x)
    keep = not node.integer("allowzero", 0)
    if keep and any(dim == 0 and index >= len(shape) for index, dim in enumerate(wanted)):
        node.refuse(f"keeps a dimension that its input {list(shape)} does not have: shape {wanted}")
    dims = [shape[index] if dim == 0 and keep else dim for index, dim in enumerate(wanted)]
    known, total = math.prod(dim for dim in dims if dim != -1), math.prod(shape)
    if dims.count(-1) == 1 and known > 0:
        dims[dims.index(-1)] = total // known
    if math.prod(dims) != total or min(dims, default=0) < 0:
        node.refuse(f"cannot turn shape {list(shape)} into {wanted}: {total} elements do not fit")
    return scope.emit(ReshapeOp, node, [x], dims)


def squeeze(node: Node, scope: Scope) -> SSAValue:
    """Squeeze: drops axes of size 1, all of them when none is named."""
    x = scope.value(node)
    shape = shape_of(x)
    axes = node.axes(
        _constant_integers(node, scope, "axes") or [axis for axis, dim in enumerate(shape) if dim == 1], len(shape)
    )
    if any(shape[axis] != 1 for axis in axes):
        node.refuse(f"drops axes {list(axes)} of shape {list(shape)}, which are not all of size 1")
    return scope.emit(SqueezeOp, node, [x], [dim for axis, dim in enumerate(shape) if axis not in axes], {"axes": axes})


def unsqueeze(node: Node, scope: Scope) -> SSAValue:
    """Unsqueeze: inserts axes of size 1, which are counted in the result."""
    x = scope.value(node)
    dims, wanted = list(shape_of(x)), _constant_integers(node, scope, "axes")
    axes = node.axes(wanted, len(dims) + len(wanted))
    for axis in axes:
        dims.insert(axis, 1)
    return scope.emit(UnsqueezeOp, node, [x], dims, {"axes": axes})


def transpose(node: Node, scope: Scope) -> SSAValue:
    """Transpose: permutes the axes by `perm`, or reverses them when it is absent."""
    x = scope.value(node)
    shape = shape_of(x)
    perm = node.integers("perm", range(len(shape))[::-1])
    if sorted(perm) != list(range(len(shape))):
        node.refuse(f"has perm {list(perm)}, which is no permutation of the axes of shape {list(shape)}")
    return scope.emit(TransposeOp, node, [x], [shape[axis] for axis in perm], {"perm": perm})


def _constant_integers(node: Node, scope: Scope, role: str) -> tuple[int, ...]:
    """The integers that were an attribute in older operator sets and are the second input now; empty when absent."""
    if scope.opset >= _AXES_INPUT:
        return tuple(int(value) for value in scope.constant(node, 1, role).reshape(-1)) if node.has_input(1) else ()
    return node.integers(role, ())


OPERATORS = {
    "Concat": concat,
    "Flatten": flatten,
    "Reshape": reshape,
    "Split": split,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Transpose": transpose,
}
