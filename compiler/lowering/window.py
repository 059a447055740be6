"""Sliding windows of convolutions and poolings, from their ONNX attributes."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.kernels.body import Pads
from emu.errors import CompileError


@dataclass(frozen=True, slots=True)
class Window:
    """How a kernel slides over an image: (y, x) sizes, strides, dilations; pads (top, left, bottom, right)."""

    kernel: tuple[int, int]
    strides: tuple[int, int] = (1, 1)
    dilations: tuple[int, int] = (1, 1)
    pads: Pads = (0, 0, 0, 0)

    def properties(self) -> dict[str, Attribute]:
        """The attributes of kernels that slide."""
        return {
            "kernel": attr.ints(self.kernel),
            "strides": attr.ints(self.strides),
            "dilations": attr.ints(self.dilations),
        }


def two(values: tuple[int, ...], fill: int) -> tuple[int, int]:
    """The (y, x) pair of an attribute of one dimension (then y is `fill`) or two."""
    return (fill, values[0]) if len(values) == 1 else (values[0], values[1])


def four(pads: tuple[int, ...]) -> tuple[int, int, int, int]:
    """(top, left, bottom, right) of pads in one dimension, (begin, end), or in two."""
    return (0, pads[0], 0, pads[1]) if len(pads) == 2 else (pads[0], pads[1], pads[2], pads[3])


def window_of(op: onnx.ConvOp | onnx.MaxPoolOp | onnx.AveragePoolOp) -> Window:
    """The window of a convolution or pooling; raises CompileError for negative pads or more than two dimensions."""
    kernel, pads = attr.values(op.kernel_shape), attr.values(op.pads)
    if len(kernel) > 2 or min(pads, default=0) < 0:
        raise CompileError(
            f"{op.label}: kernels of 1 or 2 dimensions with non-negative pads"
            f" are supported, not kernel {list(kernel)} with pads {list(pads)}"
        )
    strides, dilations = attr.values(op.strides), attr.values(op.dilations)
    return Window(two(kernel, 1), two(strides, 1), two(dilations, 1), four(pads))
