"""Sliding windows of convolutions and poolings, from their ONNX attributes."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute

from compiler.dialects import attributes as attr
from compiler.dialects import integer, onnx
from compiler.kernels.body import Pads
from emu.errors import CompileError


@dataclass(frozen=True, slots=True)
class TileWindow:
    """How a kernel slides over a tile: sizes, strides, dilations along each axis but the channels, in memory's order.

    `pads` hold a number before each of these axes, then one after each.
    """

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: Pads

    @staticmethod
    def over(kernel: tuple[int, ...]) -> TileWindow:
        """A window of size `kernel` that moves pixel by pixel, without pads."""
        ones = (1,) * len(kernel)
        return TileWindow(kernel, ones, ones, (0,) * (2 * len(kernel)))

    def lifted(self, axes: int) -> TileWindow:
        """The same window with axes before its own, up to `axes`, over which nothing slides, such as a batch."""
        missing = axes - len(self.kernel)
        ones, zeros, half = (1,) * missing, (0,) * missing, len(self.pads) // 2
        pads = (*zeros, *self.pads[:half], *zeros, *self.pads[half:])
        return TileWindow(ones + self.kernel, ones + self.strides, ones + self.dilations, pads)

    def properties(self) -> dict[str, Attribute]:
        """The attributes of kernels that slide."""
        return {
            "kernel": attr.ints(self.kernel),
            "strides": attr.ints(self.strides),
            "dilations": attr.ints(self.dilations),
        }


Windowed = onnx.ConvOp | onnx.ConvTransposeOp | integer.ConvOp | onnx.MaxPoolOp | onnx.AveragePoolOp


def window_of(op: Windowed, axes: int) -> TileWindow:
    """The window of a convolution or pooling, over a tile of `axes` axes beside the channels.

    Raises CompileError for negative pads.
    """
    pads = attr.values(op.pads)
    if min(pads, default=0) < 0:
        raise CompileError(f"{op.label}: pads must be 0 or more, not {list(pads)}")
    window = TileWindow(attr.values(op.kernel_shape), attr.values(op.strides), attr.values(op.dilations), pads)
    return window.lifted(axes)
