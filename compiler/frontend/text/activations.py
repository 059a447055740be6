"""Functions of elements that the dialect `onnx` has a name for: so biases fold, and activations join products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.ir import SSAValue

from compiler.dialects.onnx import FUNCTION_OPS, AddOp, ClipOp, DivOp, MulOp, SubOp, TransposeOp
from compiler.dialects.onnx_op import OnnxOp, PropertyValue
from compiler.frontend.nodes.scope import shape_of
from compiler.frontend.text.bodies import OPERAND, Read, WantedResult
from compiler.frontend.text.reader import Empty
from compiler.interpreter.host.values import Array
from compiler.nests.body import CONSTANT
from compiler.nests.expression import Value
from compiler.nests.linear import Map, broadcast_map
from emu.isa.dtypes import DType

_BINARY: Mapping[str, type[OnnxOp]] = {"add": AddOp, "sub": SubOp, "mul": MulOp, "div": DivOp}


def raised(wanted: WantedResult, root: Value) -> SSAValue | None:
    """The operation that has a name; None if there is none, or its operands do not broadcast as they stand."""
    shape, operands = wanted.shape, wanted.traced.operands
    if wanted.target != broadcast_map(shape, len(shape)):
        return None
    if root.fn == OPERAND:
        return _moved(wanted, operands[int(root.number)])
    if root.dtype != DType.f32:
        return None
    if root.fn in _BINARY and all(arg.fn == OPERAND and arg.dtype == DType.f32 for arg in root.args):
        a, b = (_broadcast(wanted, operands[int(arg.number)]) for arg in root.args)
        if a is None or b is None or np.broadcast_shapes(shape_of(a), shape_of(b)) != tuple(shape):
            return None
        return _emit(wanted, _BINARY[root.fn], [a, b])
    return _clipped(wanted, root)


def _emit(
    wanted: WantedResult,
    kind: type[OnnxOp],
    operands: Sequence[SSAValue],
    properties: Mapping[str, PropertyValue] | None = None,
) -> SSAValue:
    return wanted.reader.scope.emit(kind, wanted.node, operands, wanted.shape, properties, wanted.part)


def _moved(wanted: WantedResult, read: Read) -> SSAValue | None:
    """A copy with dimensions in another order."""
    shape = wanted.shape
    dims = [index.only for index in read.map]
    if not isinstance(read.found, SSAValue) or sorted(shape_of(read.found)) != sorted(shape):
        return None
    free = [dim for dim, size in enumerate(shape) if size == 1]
    if any(dim is None and index.factors for dim, index in zip(dims, read.map, strict=True)):
        return None
    dims = [free.pop(0) if dim is None else dim for dim in dims]
    perm = [dims.index(dim) for dim in range(len(shape))]
    if perm == sorted(perm):
        return None
    return _emit(wanted, TransposeOp, [read.found], {"perm": perm})


def _broadcast(wanted: WantedResult, read: Read) -> SSAValue | None:
    """An operand that broadcasts to the result as ONNX has it; a known one is turned so that it does."""
    rank = len(wanted.shape)
    if isinstance(read.found, SSAValue):
        return read.found if read.map == broadcast_map(shape_of(read.found), rank) else None
    if isinstance(read.found, Empty):
        return None
    array = standing(read.found, read.map, rank)
    return None if array is None else wanted.reader.constant(array, wanted.node, "operand")


def standing(array: Array, indices: Map, rank: int) -> Array | None:
    """A known array with a dimension for each of `rank` loops, of size 1 where it has none."""
    dims = list[int]()
    for index, size in zip(indices, array.shape, strict=True):
        if size == 1 and not index.factors:
            dims.append(-1)
        elif index.only is None or index.only in dims:
            return None
        else:
            dims.append(index.only)
    kept = [place for place, dim in enumerate(dims) if dim >= 0]
    small = array[tuple(slice(None) if dim >= 0 else 0 for dim in dims)]
    order = sorted(range(len(kept)), key=lambda place: dims[kept[place]])
    turned = small.transpose(order)
    sizes = [1] * rank
    for place in kept:
        sizes[dims[place]] = array.shape[place]
    repeated = [size > 1 and not step for size, step in zip(turned.shape, turned.strides, strict=True)]
    if any(repeated):
        for place, each in zip(sorted(dims[place] for place in kept), repeated, strict=True):
            sizes[place] = 1 if each else sizes[place]
        turned = turned[tuple(slice(0, 1) if each else slice(None) for each in repeated)]
    return turned.reshape(sizes)


def _clipped(wanted: WantedResult, root: Value) -> SSAValue | None:
    """`max(x, 0)`, and `min(max(x, low), high)` in either order."""
    bounds, value = dict[str, float](), root
    while value.fn in ("max", "min", "select") and value.fn not in bounds:
        kind, args = _meeting(value)
        numbers = [arg for arg in args if arg.fn == CONSTANT]
        if kind not in ("max", "min") or kind in bounds or len(numbers) != 1:
            return None
        bounds[kind] = float(numbers[0].number)
        value = next(arg for arg in args if arg is not numbers[0])
    if value.fn != OPERAND or not bounds or value.dtype != DType.f32:
        return None
    x = _broadcast(wanted, wanted.traced.operands[int(value.number)])
    if x is None or shape_of(x) != tuple(wanted.shape) or bounds.get("max", -np.inf) > bounds.get("min", np.inf):
        return None
    if bounds == {"max": 0.0}:
        return _emit(wanted, FUNCTION_OPS["relu"], [x])
    named = {{"max": "min", "min": "max"}[kind]: number for kind, number in bounds.items()}
    return _emit(wanted, ClipOp, [x], named)


def _meeting(value: Value) -> tuple[str, tuple[Value, ...]]:
    """Maximum and minimum, also as a choice that what is no number passes through: `x > 0 or unordered ? x : 0`."""
    if value.fn != "select":
        return value.fn, value.args
    test, yes, no = value.args
    if test.fn != "complement" or test.args[0].fn not in ("le", "lt", "ge", "gt"):
        return "", ()
    a, b = test.args[0].args
    same = [left is right or _equal(left, right) for left, right in ((a, yes), (b, no))]
    if not all(same):
        return "", ()
    return ("max" if test.args[0].fn in ("le", "lt") else "min"), (yes, no)


def _equal(a: Value, b: Value) -> bool:
    return a.fn == b.fn == CONSTANT and a.number == b.number
