"""Feature maps: whole tensors as one tile, and layouts between their logical (ONNX) dimensions and axes in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from compiler.dialects.types import dtype_of
from emu.isa.dtypes import DType
from emu.program.form import CHANNEL, LEAST, MOST, OTHERS, Form, axis_names, axis_size

Layout = tuple[str, ...]  # per logical dimension the axes it is made of, row-major: ("", "C", "H", "W")
Extent = tuple[int, ...]  # sizes of the axes C, ..., D, H, W: the channels first, although they are last in memory


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """A tensor as one tile of all of it: `value`, a value of `spat`; None if it has no elements."""

    tensor: str
    form: Form
    value: SSAValue | None

    @property
    def shape(self) -> tuple[int, ...]:
        """The logical (ONNX) dimensions."""
        return self.form.shape

    @property
    def extent(self) -> Extent:
        """The sizes of the axes, channels first."""
        return self.form.extent

    @property
    def layout(self) -> Layout:
        """The axes that each dimension is made of."""
        return self.form.layout

    @property
    def tile(self) -> SSAValue:
        """The tile of a tensor that has elements."""
        assert self.value is not None
        return self.value

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        return dtype_of(self.tile)

    def seen_as(self, shape: tuple[int, ...], layout: Layout) -> FeatureMap:
        """The same tile under another logical shape."""
        return FeatureMap(self.tensor, Form(shape, self.extent, normalised(layout, self.extent)), self.value)


def channel_first(rank: int) -> Layout | None:
    """Dimension 1, after the batch, is the channels: ("D", "C", "H", "W") of four; None if axes are fewer than `rank`.

    A vector is all channels.
    """
    return _layout(rank, 1) if rank > 1 else channel_last(rank)


def channel_last(rank: int) -> Layout | None:
    """The last dimension is the channels: ("D", "H", "W", "C") of four; None if axes are fewer than `rank`."""
    return _layout(rank, rank - 1)


def _layout(rank: int, channel: int) -> Layout | None:
    if rank > MOST:
        return None
    others = iter(OTHERS[len(OTHERS) + 1 - rank :] if rank else "")
    return tuple(CHANNEL if dim == channel else next(others) for dim in range(rank))


def place_shape(shape: Sequence[int], layout: Layout, count: int = LEAST) -> Form:
    """The form of `shape` in `layout`, with as many axes as it needs, at least `count`.

    Axes of size 1 are dropped from the layout. The axes in `layout` must be single: one per dimension, or none.
    """
    sizes = {axes: size for size, axes in zip(shape, layout, strict=True) if axes}
    outer = [place for place, axis in enumerate(reversed(OTHERS), start=2) if sizes.get(axis, 1) != 1]
    extent = tuple(sizes.get(axis, 1) for axis in axis_names(max(count, *outer, LEAST)))
    return Form(tuple(shape), extent, normalised(layout, extent))


def normalised(layout: Layout, extent: Extent) -> Layout:
    """The layout without axes of size 1: two layouts that mean the same compare equal."""
    known = axis_names(len(extent))
    return tuple("".join(axis for axis in axes if axis in known and axis_size(extent, axis) != 1) for axes in layout)


def regroup(shape: Sequence[int], layout: Layout, extent: Extent) -> Layout | None:
    """The layout of a row-major reshape to `shape`, or None if an axis in memory would have to be split."""
    axes = [axis for group in layout for axis in group]
    groups: list[str] = []
    for size in shape:
        group, product = "", 1
        while product < size and axes:
            group += axes[0]
            product *= axis_size(extent, axes.pop(0))
        if product != size:
            return None
        groups.append(group)
    return tuple(groups) if not axes else None
