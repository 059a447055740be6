"""Kernel `pool`: maximum or mean over windows, one strided pass per kernel position; padding is never read."""

from __future__ import annotations

from typing import cast

import numpy as np
from xdsl.ir import Operation

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import WORD, Buffer, Emitter
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel
from compiler.weights import Array, WeightStore

PoolOp = spat.PoolOp | pim.PoolOp


def valid_range(out: int, size: int, stride: int, shift: int) -> tuple[int, int]:
    """Outputs [low, high) whose source `output * stride + shift` lies inside [0, size)."""
    low = max(0, -(shift // stride)) if shift < 0 else 0
    high = min(out, (size - 1 - shift) // stride + 1)
    return low, max(low, high)


def window_counts(op: PoolOp) -> Array:
    """Elements per window, [h][w][1] float32: those inside the image, or inside the padded image."""
    source, out = attr.shape_of(op.inputs[0]), attr.shape_of(op.outputs[0])
    kernel, strides = attr.values(op.kernel), attr.values(op.strides)
    dilations, pads = attr.values(op.dilations), attr.values(op.pads)
    include = bool(op.count_include_pad.value.data)
    counts: list[Array] = []
    for axis in (0, 1):
        low, high = (0, source[axis]) if not include else (-pads[axis], source[axis] + pads[axis + 2])
        first = np.arange(out[axis])[:, None] * strides[axis] - pads[axis]
        taps = first + np.arange(kernel[axis])[None, :] * dilations[axis]
        counts.append(((taps >= low) & (taps < high)).sum(axis=1))
    return (counts[0][:, None, None] * counts[1][None, :, None]).astype(np.float32)


def _whole_image(op: PoolOp) -> bool:
    """One window over the image without padding: a mean that one instruction per channel computes."""
    source = attr.shape_of(op.inputs[0])
    return op.kind.data == "average" and attr.values(op.kernel) == source[:2] and not any(attr.values(op.pads))


def _constants(op: Operation, weights: WeightStore) -> list[Array]:
    pool = cast(spat.PoolOp, op)
    if pool.kind.data == "max":
        return [np.full((1, 1, 1), -np.inf, np.float32)]
    counts = window_counts(pool)
    return [] if counts.min() == counts.max() else [counts]


def _emit(emitter: Emitter, kernel: pim.BufferKernel) -> None:
    op = cast(pim.PoolOp, kernel)
    source, out = emitter.buffer(op.inputs[0]), emitter.buffer(op.outputs[0])
    if _whole_image(op):
        with emitter.section.loop(out.channels) as c:
            strided = source.at((c, WORD), stride=source.channels)
            emitter.vector("vavg", (out.at((c, WORD)), strided), source.height * source.width)
    else:
        if op.kind.data == "max":
            emitter.vector("vmv", (out.at(), emitter.buffer(op.constants[0]).at(stride=0)), out.elements)
        else:
            emitter.fill(out.at(), 0, out.nbytes)
        _accumulate(emitter, op, source, out)
        if op.kind.data == "average":
            _divide(emitter, op, out)
    emit_epilogue(emitter, attr.epilogue_of(op.epilogue), out.at(), out.elements)


def _accumulate(emitter: Emitter, op: pim.PoolOp, source: Buffer, out: Buffer) -> None:
    """One pass over the outputs per kernel position, where its tap lies inside the image."""
    kernel, strides = attr.values(op.kernel), attr.values(op.strides)
    dilations, pads = attr.values(op.dilations), attr.values(op.pads)
    name = "vvmax" if op.kind.data == "max" else "vvadd"
    for ky in range(kernel[0]):
        for kx in range(kernel[1]):
            dy, dx = ky * dilations[0] - pads[0], kx * dilations[1] - pads[1]
            top, bottom = valid_range(out.height, source.height, strides[0], dy)
            left, right = valid_range(out.width, source.width, strides[1], dx)
            if top == bottom or left == right:
                continue
            with emitter.pixels(bottom - top, right - left) as (y, x):
                at = out.at((y, out.row), (x, out.pixel), offset=top * out.row + left * out.pixel)
                offset = (top * strides[0] + dy) * source.row + (left * strides[1] + dx) * source.pixel
                tap = source.at((y, strides[0] * source.row), (x, strides[1] * source.pixel), offset=offset)
                emitter.vector(name, (at, at, tap), out.channels)


def _divide(emitter: Emitter, op: pim.PoolOp, out: Buffer) -> None:
    if not op.constants:
        emitter.immediate("vsdiv", (out.at(), out.at()), out.elements, float(window_counts(op).max()))
        return
    counts = emitter.buffer(op.constants[0])
    with emitter.pixels(out.height, out.width) as (y, x):
        at = out.at((y, out.row), (x, out.pixel))
        count = counts.at((y, counts.row), (x, counts.pixel), stride=0)
        emitter.vector("vvdiv", (at, at, count), out.channels)


POOL = Kernel(spat.PoolOp, pim.PoolOp, _emit, constants=_constants)
