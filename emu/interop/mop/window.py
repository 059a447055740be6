"""Windows that slide over a tensor in memory: what `params` of cim.read_core and of poolings say."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import cast

import numpy as np

from emu.interop.mop.flow import AxisSizes, Named, Param, Params, Range

MAX_AXES = 12
PADDING = -1  # the offset of what stands outside of the tensor


@dataclass(frozen=True, slots=True)
class Window:
    """Windows of `kernel` positions over `sizes` pixels of `pitch` channels each, of which `channels` are taken.

    There is one window per position of `places`; its results are `filters` of the `out_pitch` channels there. `pad`
    stands before every axis. All sizes are in the order of memory, the channels apart.
    """

    sizes: tuple[int, ...]
    pitch: int
    channels: Range
    places: tuple[int, ...]
    out_pitch: int
    filters: Range
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pad: tuple[int, ...]
    fill: int = 0
    count_pads: bool = False
    weights: Named | None = None

    @property
    def depth(self) -> int:
        """Channels that are taken of a pixel."""
        return self.channels.high - self.channels.low

    @property
    def width(self) -> int:
        """Results per place."""
        return self.filters.high - self.filters.low

    @property
    def rows(self) -> int:
        """Elements of a window: kernel positions times channels, in this order."""
        return prod(self.kernel) * self.depth

    @property
    def extents(self) -> tuple[int, ...]:
        """Pixels along each axis from the first to the last one that windows reach, those of padding as well."""
        axes = zip(self.places, self.stride, self.kernel, self.dilation, strict=True)
        return tuple([(places - 1) * stride + (kernel - 1) * step + 1 for places, stride, kernel, step in axes])

    @property
    def count(self) -> int:
        """Number of windows."""
        return prod(self.places)

    def taps(self, first: int, last: int) -> np.ndarray:
        """Offsets of the pixels of windows [first, last): [window][kernel position], `PADDING` outside."""
        total = np.zeros((last - first, prod(self.kernel)), np.int64)
        if not self.sizes:
            return total
        inside = np.ones(total.shape, np.bool_)
        at = np.unravel_index(np.arange(first, last), self.places)
        taps = np.unravel_index(np.arange(prod(self.kernel)), self.kernel)
        step = self.pitch
        for axis in reversed(range(len(self.sizes))):
            place = at[axis][:, None] * self.stride[axis] + taps[axis] * self.dilation[axis] - self.pad[axis]
            inside &= (place >= 0) & (place < self.sizes[axis])
            total += place * step
            step *= self.sizes[axis]
        return np.where(inside, total, PADDING)

    def offsets(self, first: int, last: int) -> np.ndarray:
        """Offsets of the elements of windows [first, last): [window][row], `PADDING` outside."""
        taps = self.taps(first, last)[:, :, None]
        found = np.where(taps == PADDING, PADDING, taps + np.arange(self.channels.low, self.channels.high))
        return found.reshape(last - first, self.rows)

    def params(self) -> Params:
        """What it is written as: without what is usual."""
        ones, zeros = (1,) * len(self.sizes), (0,) * len(self.sizes)
        given: dict[str, Param | None] = {
            "weights": self.weights,
            "in": AxisSizes((*self.sizes, self.pitch)),
            "out": AxisSizes((*self.places, self.out_pitch)),
            "kernel": AxisSizes(self.kernel) if self.kernel != ones else None,
            "stride": AxisSizes(self.stride) if self.stride != ones else None,
            "dilation": AxisSizes(self.dilation) if self.dilation != ones else None,
            "pad": AxisSizes(self.pad) if self.pad != zeros else None,
            "channels": self.channels if self.channels != Range(0, self.pitch) else None,
            "filters": self.filters if self.filters != Range(0, self.out_pitch) else None,
            "fill": self.fill or None,
            "count_pads": int(self.count_pads) or None,
        }
        return tuple((name, value) for name, value in given.items() if value is not None)


def window_of(params: Params) -> Window:
    """The window that `params` describe; raises ValueError with what is wrong, as a sentence."""
    given = dict(params)
    for name in ("in", "out"):
        if name not in given:
            raise ValueError(f"params lack {name}=, the sizes of what is {'read' if name == 'in' else 'made'}")
    *sizes, pitch = cast(AxisSizes, given["in"]).numbers
    *places, out_pitch = cast(AxisSizes, given["out"]).numbers
    axes = len(sizes)
    if axes > MAX_AXES:
        raise ValueError(f"in= has {axes + 1} axes: at most {MAX_AXES + 1} are possible")

    def per_axis(name: str, usual: int) -> tuple[int, ...]:
        numbers = cast(AxisSizes, given.get(name, AxisSizes((usual,) * axes))).numbers
        if len(numbers) != axes or (usual and min(numbers, default=1) < 1):
            raise ValueError(f"{name}= must hold {axes} sizes, one per axis of in= but the channels")
        return numbers

    window = Window(
        tuple(sizes),
        pitch,
        cast(Range, given.get("channels", Range(0, pitch))),
        tuple(places),
        out_pitch,
        cast(Range, given.get("filters", Range(0, out_pitch))),
        per_axis("kernel", 1),
        per_axis("stride", 1),
        per_axis("dilation", 1),
        per_axis("pad", 0),
        cast(int, given.get("fill", 0)),
        bool(given.get("count_pads", 0)),
        cast("Named | None", given.get("weights")),
    )
    if fault := _fault(window):
        raise ValueError(fault)
    return window


def _fault(window: Window) -> str:
    if len(window.places) != len(window.sizes):
        return f"out= must have as many axes as in=, {len(window.sizes) + 1}"
    if min((*window.sizes, *window.places, window.pitch, window.out_pitch)) < 1:
        return "in= and out= must hold sizes from 1 on"
    for name, part, full in (
        ("channels", window.channels, window.pitch),
        ("filters", window.filters, window.out_pitch),
    ):
        if not 0 <= part.low < part.high <= full:
            return f"{name}={part.low}:{part.high} is no part of the {full} channels there"
    return ""
