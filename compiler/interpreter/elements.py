"""Operations of dialect `onnx` on elements, windows and lines: activations, pools, normalisations, sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.ir import Operation

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.interpreter.scalars import ACTIVATIONS, FUNCTIONS, divide
from compiler.interpreter.windows import SlidingWindow, pooled
from compiler.interpreter.world import Meaning, World


def _elementwise(function: Callable[..., Array]) -> Meaning:
    return lambda op, args, world: [function(*args)]


def _clip(op: onnx.ClipOp, args: Sequence[Array], world: World) -> list[Array]:
    low, high = (np.inf * sign if bound is None else bound.value.data for bound, sign in ((op.min, -1), (op.max, 1)))
    return [ACTIVATIONS["clip"](args[0], low, high)]


def _leaky_relu(op: onnx.LeakyReluOp, args: Sequence[Array], world: World) -> list[Array]:
    return [ACTIVATIONS["leaky_relu"](args[0], op.alpha.value.data)]


def _window(op: onnx.MaxPoolOp | onnx.AveragePoolOp) -> SlidingWindow:
    return SlidingWindow(*map(attr.values, (op.kernel_shape, op.strides, op.dilations, op.pads)))


def _max_pool(op: onnx.MaxPoolOp, args: Sequence[Array], world: World) -> list[Array]:
    return [pooled(args[0], 2, "max", _window(op), op.shape[2:], include=False)]


def _average_pool(op: onnx.AveragePoolOp, args: Sequence[Array], world: World) -> list[Array]:
    return [pooled(args[0], 2, "average", _window(op), op.shape[2:], include=bool(op.count_include_pad.value.data))]


def _mean(x: Array, axes: Sequence[int]) -> Array:
    return x.mean(axis=tuple(axes), dtype=np.float64, keepdims=True)


def _global_average(op: onnx.GlobalAveragePoolOp, args: Sequence[Array], world: World) -> list[Array]:
    return [_mean(args[0], range(2, args[0].ndim))]


def _global_max(op: onnx.GlobalMaxPoolOp, args: Sequence[Array], world: World) -> list[Array]:
    return [args[0].max(axis=tuple(range(2, args[0].ndim)), keepdims=True)]


def _reduce_mean(op: onnx.ReduceMeanOp, args: Sequence[Array], world: World) -> list[Array]:
    return [_mean(args[0], attr.values(op.axes)).reshape(op.shape)]


def softmax(x: Array, axis: int) -> Array:
    """exp(x) over its sum along an axis."""
    powers = np.exp(x.astype(np.float64) - x.max(axis=axis, keepdims=True))
    return (powers / powers.sum(axis=axis, keepdims=True)).astype(x.dtype)


def cumulated(x: Array, axis: int, exclusive: bool, reverse: bool) -> Array:
    """The sums along an axis up to each element: without it if `exclusive`, from the end on if `reverse`."""
    x = np.flip(x, axis) if reverse else x
    total = np.cumsum(x, axis=axis, dtype=x.dtype)
    if exclusive:
        total = np.roll(total, 1, axis)
        total[(*[slice(None)] * axis, slice(0, 1))] = 0
    return np.flip(total, axis) if reverse else total


def neighbours(squares: Array, size: int) -> Array:
    """Sums over `size` places around each along the last axis, the odd one behind it."""
    before = (size - 1) // 2
    around = np.pad(squares, [(0, 0)] * (squares.ndim - 1) + [(before, size - 1 - before)])
    return sum((around[..., at : at + squares.shape[-1]] for at in range(size)), np.zeros_like(squares))


def _softmax(op: onnx.SoftmaxOp, args: Sequence[Array], world: World) -> list[Array]:
    return [softmax(args[0], op.axis.value.data)]


def _cum_sum(op: onnx.CumSumOp, args: Sequence[Array], world: World) -> list[Array]:
    return [cumulated(args[0], op.axis.value.data, bool(op.exclusive.value.data), bool(op.reverse.value.data))]


def _lrn(op: onnx.LRNOp, args: Sequence[Array], world: World) -> list[Array]:
    x = np.moveaxis(args[0].astype(np.float64), 1, -1)
    sums = neighbours(x * x, op.size.value.data)
    scale = op.bias.value.data + op.alpha.value.data / op.size.value.data * sums
    return [np.moveaxis(x / scale**op.beta.value.data, -1, 1)]


def _batch_norm(op: onnx.BatchNormalizationOp, args: Sequence[Array], world: World) -> list[Array]:
    x = args[0]
    scale, b, mean, var = (part.astype(np.float64).reshape(-1, *[1] * (x.ndim - 2)) for part in args[1:])
    return [(x - mean) / np.sqrt(var + op.epsilon.value.data) * scale + b]


MEANINGS: Mapping[type[Operation], Meaning] = {
    onnx.AddOp: _elementwise(np.add),
    onnx.SubOp: _elementwise(np.subtract),
    onnx.MulOp: _elementwise(np.multiply),
    onnx.DivOp: _elementwise(divide),
    **{kind: _elementwise(FUNCTIONS[name]) for name, kind in onnx.FUNCTION_OPS.items()},
    onnx.ClipOp: _clip,
    onnx.LeakyReluOp: _leaky_relu,
    onnx.MaxPoolOp: _max_pool,
    onnx.AveragePoolOp: _average_pool,
    onnx.GlobalAveragePoolOp: _global_average,
    onnx.GlobalMaxPoolOp: _global_max,
    onnx.ReduceMeanOp: _reduce_mean,
    onnx.SoftmaxOp: _softmax,
    onnx.CumSumOp: _cum_sum,
    onnx.LRNOp: _lrn,
    onnx.BatchNormalizationOp: _batch_norm,
}
