"""ConvTranspose as the phases of a convolution: the outputs at every n-th place are one small convolution each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, SSAValue

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.dialects.parts import PlacesAttr, RangesAttr
from compiler.dialects.types import dtype_of
from compiler.kernels.interleave import InterleaveOp
from compiler.lowering.feature_map import channel_first
from compiler.lowering.layer import LayerBuilder
from compiler.lowering.lowering import Lowering
from compiler.lowering.matrix import ProductResult, constant_key, convolve
from compiler.lowering.window import TileWindow, window_of
from emu.errors import CompileError


@dataclass(frozen=True, slots=True)
class OutputPhase:
    """Along one axis the `count` outputs from `origin` on, a stride apart: a window of some `taps` over the input.

    `taps` are in the order of the inputs that they multiply, which are `dilation` apart; `pads` are before and after
    the input, negative where some of it is not needed.
    """

    origin: int
    count: int
    taps: slice
    size: int
    dilation: int
    pads: tuple[int, int]


def axis_phases(size: int, kernel: int, stride: int, dilation: int, begin: int, out: int) -> list[OutputPhase]:
    """The phases along an axis of `size` inputs and `out` outputs, where `begin` outputs before those are left out.

    Output o gets input i by tap k where o + begin = i * stride + k * dilation, so a tap belongs to the outputs of one
    remainder, and further taps of it follow at equal distances. A phase that no tap hits is none: it is zero.
    """
    phases: list[OutputPhase] = []
    for rest in range(stride):
        origin = (rest - begin) % stride
        first, count = (origin + begin - rest) // stride, (out - 1 - origin) // stride + 1
        behind = {
            tap: (tap * dilation - rest) // stride for tap in range(kernel) if not (tap * dilation - rest) % stride
        }
        taps = [tap for tap, by in behind.items() if first - by < size and first + count > by] if count > 0 else []
        if not taps:
            continue
        low, high = behind[taps[0]], behind[taps[-1]]
        step = taps[1] - taps[0] if len(taps) > 1 else 1
        stop = taps[0] - 1 if taps[0] else None
        apart = (high - low) // (len(taps) - 1) if len(taps) > 1 else 1
        pads = high - first, first + count - low - size
        phases.append(OutputPhase(origin, count, slice(taps[-1], stop, -step), len(taps), apart, pads))
    return phases


def lower_conv_transpose(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """A convolution per phase, without the zeros that lie between inputs, and a copy that interleaves the results."""
    conv = cast(onnx.ConvTransposeOp, op)
    source = lowering.spatial(op, conv.x)
    window, groups = window_of(conv, len(source.extent) - 1), conv.group.value.data
    key, bias = constant_key(op, 1, "kernel"), constant_key(op, 2, "bias") if conv.b is not None else None
    form = lowering.form(op, op.shape, channel_first(len(op.shape)), len(source.extent))
    target, split = lowering.target(op, form), _split(lowering.weights.get(key), groups, window)
    filters = split.reshape(split.shape[0] * split.shape[1], *split.shape[2:])
    whole = lowering.weights.derive(f"{key}/filters", filters, key, split)
    axes = zip(
        source.form.sizes, window.kernel, window.strides, window.dilations, window.pads, form.sizes, strict=False
    )
    phases = list(product(*(axis_phases(*axis) for axis in axes)))
    if not phases:
        raise CompileError(f"{op.label}: its pads leave no output that any of its inputs reaches")
    alone = set(window.strides) == {1}
    parts: list[SSAValue] = []
    for number, phase in enumerate(phases):
        taps = (slice(None), slice(None), *(axis.taps for axis in phase))
        weights = lowering.weights.derive(f"{key}/phase{number}", filters[taps], whole)
        ones = (1,) * len(phase)
        pads = (*(axis.pads[0] for axis in phase), *(axis.pads[1] for axis in phase))
        view = TileWindow(tuple(axis.size for axis in phase), ones, tuple(axis.dilation for axis in phase), pads)
        made = ProductResult((*(axis.count for axis in phase), form.sizes[-1]), dtype_of(target.value))
        if alone:
            made = ProductResult.of(target)
        parts.append(convolve(lowering, op, source, (weights, bias), view, groups, made))
    if alone:
        lowering.define(target, parts[0])
        return
    properties: dict[str, Attribute] = {
        "origins": PlacesAttr(tuple(tuple(axis.origin for axis in phase) for phase in phases)),
        "strides": attr.ints(window.strides),
        "channels": RangesAttr(((0, form.sizes[-1]),)),
        **({"bias": StringAttr(bias)} if bias else {}),
    }
    builder = LayerBuilder(lowering.into, op.node.data)
    inputs = [builder.argument(part) for part in parts]
    lowering.finish(builder, target, builder.kernel(InterleaveOp, inputs, target.tile, properties, target.epilogue))


def _split(array: Array, groups: int, window: TileWindow) -> Array:
    """Weights [C, M / groups, ...] as filters [groups, M / groups, C / groups, ...], a size per axis of `window`."""
    channels, filters = array.shape[0] // groups, array.shape[1]
    return array.reshape(groups, channels, filters, *window.kernel).swapaxes(1, 2)
