"""Sessions like onnxruntime's on a processor whose 8-bit products saturate: sums of two with an int8 keep 16 bits.

VPMADDUBSW multiplies pairs of uint8 and int8 and adds each pair in int16 with saturation; kernels of onnxruntime use it
where there is no VNNI. Here every product that has an int8 operand is computed so, whatever machine the test is on, and
all others exactly.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun


def product(a: np.ndarray, b: np.ndarray, saturates: bool) -> np.ndarray:
    """`a` [..., k] @ `b` [..., k, n], of 8-bit integers, in int32."""
    if not saturates or (a.dtype == b.dtype == np.uint8):
        return np.matmul(a.astype(np.int64), b.astype(np.int64)).astype(np.int32)
    if a.shape[-1] % 2:
        a = np.concatenate([a, np.zeros_like(a[..., :1])], -1)
        b = np.concatenate([b, np.zeros_like(b[..., :1, :])], -2)
    terms = a[..., :, :, None].astype(np.int32) * b[..., None, :, :].astype(np.int32)
    pairs = np.clip(terms[..., 0::2, :] + terms[..., 1::2, :], -(2**15), 2**15 - 1)
    return pairs.sum(-2, dtype=np.int32)


def about_zeros(a, b, a_zero, b_zero, saturates):
    """(a - a_zero) @ (b - b_zero) as the kernels do it: zero points are corrected by sums, in 32 bits."""
    a_zero, b_zero = (np.asarray(0 if zero is None else zero, np.int32) for zero in (a_zero, b_zero))
    a_zero = a_zero.reshape(*a_zero.shape, 1) if a_zero.ndim == 1 and a_zero.size > 1 else a_zero.reshape(-1)[:1]
    rows, columns = a.sum(-1, np.int32, keepdims=True), b.sum(-2, np.int32, keepdims=True)
    return product(a, b, saturates) - rows * b_zero - columns * a_zero + np.int32(a.shape[-1]) * a_zero * b_zero


def convolution(x, w, x_zero, w_zero, saturates, attributes):
    """Sums [n, m, *image] of int32; `attributes` are those of Conv."""
    axes = w.ndim - 2
    pads, group = attributes["pads"] or [0] * 2 * axes, attributes["group"] or 1
    strides, dilations = attributes["strides"] or [1] * axes, attributes["dilations"] or [1] * axes
    zero = 0 if x_zero is None else np.asarray(x_zero).reshape(-1)[0]
    around = [(0, 0), (0, 0), *zip(pads[:axes], pads[axes:], strict=True)]
    x = np.pad(x, around, constant_values=zero)
    reach = [(size - 1) * dilation + 1 for size, dilation in zip(w.shape[2:], dilations, strict=True)]
    views = np.lib.stride_tricks.sliding_window_view(x, reach, tuple(range(2, x.ndim)))
    views = views[(slice(None), slice(None), *(slice(None, None, stride) for stride in strides))]
    views = views[(..., *(slice(None, None, dilation) for dilation in dilations))]
    image = views.shape[2 : 2 + axes]
    parts, filters = [], len(w) // group
    zeros = np.broadcast_to(np.asarray(0 if w_zero is None else w_zero, np.int32).reshape(-1), (len(w),))
    for k in range(group):
        channels = slice(k * w.shape[1], (k + 1) * w.shape[1])
        mine = slice(k * filters, (k + 1) * filters)
        rows = np.moveaxis(views[:, channels], 1, 1 + axes).reshape(len(x), int(np.prod(image)), -1)
        sums = about_zeros(rows, w[mine].reshape(filters, -1).T, np.int32(zero), zeros[mine], saturates)
        parts.append(np.moveaxis(sums, -1, 1).reshape(len(x), filters, *image))
    return np.concatenate(parts, 1)


def requantised(sums, a_scale, b_scale, y_scale, y_zero):
    """Sums [m, n] as 8-bit integers of the type of `y_zero`."""
    factor = np.float32(a_scale) * np.asarray(b_scale, np.float32) / np.float32(y_scale)
    bounds = np.iinfo(y_zero.dtype)
    return np.clip(np.rint(sums.astype(np.float32) * factor) + np.int32(y_zero), bounds.min, bounds.max).astype(
        y_zero.dtype
    )


def operators(saturates: bool) -> list[type[OpRun]]:
    """Implementations for onnx's evaluator."""

    class MatMulInteger(OpRun):
        def _run(self, a, b, a_zero=None, b_zero=None):
            return (about_zeros(a, b, a_zero, b_zero, saturates),)

    class ConvInteger(OpRun):
        def _run(self, x, w, x_zero=None, w_zero=None, **attributes):
            return (convolution(x, w, x_zero, w_zero, saturates, attributes),)

    class QLinearMatMul(OpRun):
        def _run(self, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
            return (requantised(about_zeros(a, b, a_zero, b_zero, saturates), a_scale, b_scale, y_scale, y_zero),)

    class QLinearConv(OpRun):
        def _run(self, x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias=None, **attributes):
            sums = convolution(x, w, x_zero, w_zero, saturates, attributes)
            along = (-1, *[1] * (w.ndim - 2))
            sums = sums if bias is None else sums + bias.reshape(along)
            return (requantised(sums, x_scale, np.reshape(w_scale, along), y_scale, y_zero),)

    class MatMulIntegerToFloat(OpRun):
        op_domain = "com.microsoft"

        def _run(self, a, b, a_scale, b_scale, a_zero=None, b_zero=None, bias=None):
            floats = about_zeros(a, b, a_zero, b_zero, saturates).astype(np.float32) * (a_scale * b_scale)
            return (floats if bias is None else floats + bias,)

    class QGemm(OpRun):
        op_domain = "com.microsoft"

        def _run(self, a, a_scale, a_zero, b, b_scale, b_zero, c=None, y_scale=None, y_zero=None, transB=None, **_):
            b = b.T if transB else b
            sums = about_zeros(a, b, a_zero, b_zero, saturates) + (0 if c is None else c)
            if y_scale is None:
                return (sums.astype(np.float32) * (a_scale * b_scale),)
            return (requantised(sums, a_scale, b_scale, y_scale, y_zero),)

    return [MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv, MatMulIntegerToFloat, QGemm]


class Session:
    """As much of `onnxruntime.InferenceSession` as golden values need; `handed` are the models of all sessions."""

    handed: list[onnx.ModelProto] = []

    def __init__(self, model: str | bytes, *_: object, **__: object) -> None:
        self._model = onnx.load_from_string(model) if isinstance(model, bytes) else onnx.load(Path(model))
        self.handed.append(self._model)
        self._evaluator = ReferenceEvaluator(self._model, new_ops=operators(saturates=True))

    def get_inputs(self) -> list[onnx.ValueInfoProto]:
        return [Declared(value) for value in self._model.graph.input]

    def get_outputs(self) -> list[onnx.ValueInfoProto]:
        return [Declared(value) for value in self._model.graph.output]

    def run(self, names: list[str], feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
        return [np.asarray(value) for value in self._evaluator.run(names, feeds)]


class Declared:
    """Name and shape of an input or an output."""

    def __init__(self, value: onnx.ValueInfoProto) -> None:
        self.name = value.name
        self.shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
