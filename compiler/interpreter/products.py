"""`onnx.Conv`, `ConvTranspose`, `Gemm`, `MatMul` and the products of dialect `integer`: whole arrays at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.dialects import integer, onnx
from compiler.interpreter.windows import extents, padded, taps
from compiler.interpreter.world import Meaning, World


def wide(x: Array) -> Array:
    """Of integers a type in which NumPy multiplies fast and their sums are exact; floats stay what they are."""
    return x if x.dtype.kind == "f" else x.astype(np.float64)


def narrow(total: Array, dtype: np.dtype[Any]) -> Array:
    """Sums as the type that they have: integers wrap."""
    return total if dtype.kind == "f" else total.astype(np.int64).astype(dtype)


def convolved(x: Array, w: Array, strides: Sequence[int], dilations: Sequence[int], group: int) -> Array:
    """Windows of filters w [M, C/group, ...] over padded x [N, C, ...]: sums as `wide` has them, [N, M, ...]."""
    kernel, count = w.shape[2:], x.shape[0]
    reach = extents(kernel, dilations)
    made = [(size - far) // stride + 1 for size, far, stride in zip(x.shape[2:], reach, strides, strict=True)]
    x, w = wide(x), wide(w)
    filters = w.reshape(group, w.shape[0] // group, w.shape[1], -1)
    total = np.zeros((count, group, filters.shape[1], int(np.prod(made))), x.dtype)
    for place, tap in enumerate(taps(x, 2, kernel, strides, dilations, made)):
        total += filters[..., place] @ tap.reshape(count, group, w.shape[1], -1)
    return total.reshape(count, w.shape[0], *made)


def biased(total: Array, bias: Sequence[Array]) -> Array:
    """Sums [N, M, ...] and a bias [M], if there is one."""
    return total + bias[0].reshape(-1, *[1] * (total.ndim - 2)) if bias else total


def _conv(op: onnx.ConvOp, args: Sequence[Array], world: World) -> list[Array]:
    x, w, *b = args
    around = padded(x, 2, attr.values(op.pads), 0)
    total = convolved(around, w, attr.values(op.strides), attr.values(op.dilations), op.group.value.data)
    return [biased(total, b)]


def _integer_conv(op: integer.ConvOp, args: Sequence[Array], world: World) -> list[Array]:
    x, w, *b = args
    around = padded(x, 2, attr.values(op.pads), op.fill.value.data)
    total = convolved(around, w, attr.values(op.strides), attr.values(op.dilations), op.group.value.data)
    return [biased(narrow(total, np.dtype(np.int32)), b)]


def conv_transposed(
    op: onnx.ConvTransposeOp, given: Sequence[int], filters: Sequence[int], parts: Array, bias: Sequence[Array]
) -> Array:
    """The result for x of shape `given` and w of shape `filters`, of what each pixel adds at each position.

    `parts` are [position of the kernel, N, group, M/group, pixel].
    """
    group, kernel, pads = op.group.value.data, filters[2:], attr.values(op.pads)
    strides, dilations = attr.values(op.strides), attr.values(op.dilations)
    reach = extents(kernel, dilations)
    sizes = [
        (size - 1) * stride + far + extra
        for size, stride, far, extra in zip(given[2:], strides, reach, attr.values(op.output_padding), strict=True)
    ]
    total = np.zeros((given[0], group * filters[1], *sizes), parts.dtype)
    for place, tap in enumerate(taps(total, 2, kernel, strides, dilations, given[2:])):
        tap += parts[place].reshape(tap.shape)
    half = len(sizes)
    cuts = [slice(low, size - high) for low, high, size in zip(pads[:half], pads[half:], sizes, strict=True)]
    return biased(total[(slice(None), slice(None), *cuts)], bias)


def _conv_transpose(op: onnx.ConvTransposeOp, args: Sequence[Array], world: World) -> list[Array]:
    x, w, *b = args
    group = op.group.value.data
    pixels = x.reshape(x.shape[0], group, x.shape[1] // group, -1)
    filters = w.reshape(group, w.shape[0] // group, w.shape[1], -1)
    parts = np.stack([filters[..., place].swapaxes(1, 2) @ pixels for place in range(filters.shape[3])])
    return [conv_transposed(op, x.shape, w.shape, parts, b)]


def factor(given: Any) -> float:
    """A factor of Gemm, 1 if it is left out."""
    return 1.0 if given is None else given.value.data


def _gemm(op: onnx.GemmOp, args: Sequence[Array], world: World) -> list[Array]:
    x, w, *b = args
    x = x.T if op.transA is not None and op.transA.value.data else x
    w = w.T if op.transB is not None and op.transB.value.data else w
    total = (x @ w) * x.dtype.type(factor(op.alpha))
    return [total + b[0] * x.dtype.type(factor(op.beta)) if b else total]


def _matmul(op: onnx.MatMulOp, args: Sequence[Array], world: World) -> list[Array]:
    return [args[0] @ args[1]]


def _integer_matmul(op: integer.MatMulOp, args: Sequence[Array], world: World) -> list[Array]:
    x, w, *b = args
    total = narrow(wide(x) @ wide(w), np.dtype(np.int32))
    return [total + b[0].reshape(-1) if b else total]


MEANINGS: Mapping[type[Operation], Meaning] = {
    onnx.ConvOp: _conv,
    onnx.ConvTransposeOp: _conv_transpose,
    onnx.GemmOp: _gemm,
    onnx.MatMulOp: _matmul,
    integer.ConvOp: _integer_conv,
    integer.MatMulOp: _integer_matmul,
}
