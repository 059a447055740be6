"""Some places along an axis of a kernel's output, its channels or others: the boxes of its inputs that make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute

from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.kernels.windows import Strided, extents
from emu.program.form import Box


@dataclass(frozen=True, slots=True)
class AxisCut:
    """Per input the box that is needed, None if nothing is; and the properties that differ from those for all.

    The kernel with these properties counts the places of an input from where its box begins: who cuts gives it these
    boxes, whole, and nobody adds an offset of theirs.
    """

    boxes: Sequence[Box | None]
    properties: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])


def part_of(shape: Shape, axis: int, low: int, high: int) -> Box:
    """Places [low, high) along an axis of a tile, all of the others."""
    return tuple((low, high) if place == axis else (0, size) for place, size in enumerate(shape))


def same_places(shapes: Sequence[Shape], axis: int, low: int, high: int) -> AxisCut:
    """The same places of every input."""
    return AxisCut([part_of(shape, axis, low, high) for shape in shapes])


def same_channels(shapes: Sequence[Shape], low: int, high: int) -> AxisCut:
    """The same channels of every input, all of the other axes."""
    return AxisCut([part_of(shape, len(shape) - 1, low, high) for shape in shapes])


def window_places(op: Strided, shapes: Sequence[Shape], axis: int, low: int, high: int) -> AxisCut:
    """The places that the windows of the output reach, of padded inputs."""
    stride, extent = attr.values(op.strides)[axis], extents(op)[axis]
    return AxisCut([part_of(shape, axis, low * stride, (high - 1) * stride + extent) for shape in shapes])
