"""Feature maps: how a tensor's logical (ONNX) dimensions stand in a tile [height][width][channel]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from emu.program.form import Form

Layout = tuple[str, ...]  # per logical dimension the physical axes it is made of, row-major: ("", "C", "H", "W")
Extent = tuple[int, int, int]  # C, H, W


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """A tensor as one tile [height][width][channel] of all of it: `value`, a value of `spat`."""

    tensor: str
    shape: tuple[int, ...]
    extent: Extent
    layout: Layout
    value: SSAValue

    @property
    def form(self) -> Form:
        """How the tensor stands in tiles."""
        return Form(self.shape, self.extent, self.layout)


def axis_size(extent: Extent, axis: str) -> int:
    """The size of axis "C", "H" or "W"."""
    return extent["CHW".index(axis)]


def channel_first(rank: int) -> Layout | None:
    """[1,C,H,W], [1,C,W] or [1,C]; None for other ranks."""
    return {4: ("", "C", "H", "W"), 3: ("", "C", "W"), 2: ("", "C")}.get(rank)


def channel_last(rank: int) -> Layout | None:
    """The last dimension is the channel; None for ranks above 4."""
    return {4: ("", "H", "W", "C"), 3: ("H", "W", "C"), 2: ("W", "C"), 1: ("C",)}.get(rank)


def place_shape(shape: Sequence[int], layout: Layout) -> tuple[Extent, Layout] | None:
    """Extent and normalised layout (axes of size 1 dropped) of `shape`; None if a dimension without axis is not 1."""
    sizes = {"C": 1, "H": 1, "W": 1}
    for size, axes in zip(shape, layout, strict=True):
        if axes:
            sizes[axes] = size
        elif size != 1:
            return None
    extent = (sizes["C"], sizes["H"], sizes["W"])
    return extent, normalised(layout, extent)


def normalised(layout: Layout, extent: Extent) -> Layout:
    """The layout without axes of size 1: two layouts that mean the same compare equal."""
    return tuple("".join(axis for axis in axes if axis_size(extent, axis) > 1) for axes in layout)


def regroup(shape: Sequence[int], layout: Layout, extent: Extent) -> Layout | None:
    """The layout of a row-major reshape to `shape`, or None if a physical axis would have to be split."""
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


Factor = tuple[int, int]  # size, stride in elements


def factors(layout: Layout, extent: Extent) -> list[Factor]:
    """Sizes and physical strides, in logical row-major order, of a tile that holds the whole feature map."""
    channels, _, width = extent
    strides = {"C": 1, "W": channels, "H": width * channels}
    return [(axis_size(extent, axis), strides[axis]) for group in layout for axis in group]


def refine(source: Sequence[Factor], target: Sequence[Factor]) -> list[tuple[int, int, int]] | None:
    """Common factors (size, source stride, target stride) of two row-major factorisations of one index space.

    None if the factorisations do not nest: then a copy through a flat vector is needed.
    """
    left, right = [f for f in source if f[0] > 1], [f for f in target if f[0] > 1]
    if prod(f[0] for f in left) != prod(f[0] for f in right):
        raise ValueError("refine: different numbers of elements")
    common: list[tuple[int, int, int]] = []
    while left and right:
        (size_a, stride_a), (size_b, stride_b) = left.pop(), right.pop()
        size = min(size_a, size_b)
        if size_a % size or size_b % size:
            return None
        common.append((size, stride_a, stride_b))
        if size_a > size:
            left.append((size_a // size, stride_a * size))
        if size_b > size:
            right.append((size_b // size, stride_b * size))
    return common[::-1]
