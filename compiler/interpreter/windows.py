"""Windows that slide over arrays: which elements each position of the kernel meets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from compiler.basis.weights import Array

Numbers = Sequence[int]


def extents(kernel: Numbers, dilations: Numbers) -> list[int]:
    """How far a window reaches along each axis."""
    return [(size - 1) * step + 1 for size, step in zip(kernel, dilations, strict=True)]


def taps(x: Array, first: int, kernel: Numbers, strides: Numbers, dilations: Numbers, made: Numbers) -> Iterator[Array]:
    """Per position of the kernel, in C order, the elements that it meets in all windows: a view.

    The windows slide along the axes from `first` on, where there are `made` of them.
    """
    for position in product(*map(range, kernel)):
        cuts = [
            slice(at * dilation, at * dilation + (count - 1) * stride + 1, stride)
            for at, dilation, stride, count in zip(position, dilations, strides, made, strict=True)
        ]
        yield x[(*[slice(None)] * first, *cuts)]


def padded(x: Array, first: int, pads: Numbers, fill: float) -> Array:
    """`x` with `fill` before its axes from `first` on, and after them; pads stand before every axis, then after."""
    half = len(pads) // 2
    around = [(0, 0)] * first + list(zip(pads[:half], pads[half:], strict=True))
    return np.pad(x, around + [(0, 0)] * (x.ndim - len(around)), constant_values=fill)


def lowest(dtype: np.dtype) -> float:
    """What no element of a type is below."""
    return -np.inf if dtype.kind == "f" else float(np.iinfo(dtype).min)


class SlidingWindow(NamedTuple):
    """A window that slides: numbers per axis, pads before every axis, then after every one."""

    kernel: Numbers
    strides: Numbers
    dilations: Numbers
    pads: Numbers


def pooled(x: Array, first: int, kind: str, window: SlidingWindow, made: Numbers, include: bool) -> Array:
    """The maximum or mean of every window; `include`: a mean divides by elements of the padding, too.

    A last window may end beyond the padding: what is there never counts.
    """
    kernel, strides, dilations, pads = window
    half, reach = len(made), extents(kernel, dilations)
    ends = [(count - 1) * stride + extent for count, stride, extent in zip(made, strides, reach, strict=True)]
    sizes = x.shape[first : first + half]
    over = [
        max(0, end - size - low - high)
        for end, size, low, high in zip(ends, sizes, pads[:half], pads[half:], strict=True)
    ]
    beyond = [0] * half + over
    around = [a + b for a, b in zip(pads, beyond, strict=True)]
    whole = padded(x, first, around, lowest(x.dtype) if kind == "max" else 0)
    if kind == "max":
        result = None
        for tap in taps(whole, first, kernel, strides, dilations, made):
            result = tap.copy() if result is None else np.maximum(result, tap, out=result)
        assert result is not None
        return result
    ones = np.ones(sizes, np.float64)
    counted = padded(padded(ones, 0, pads, float(include)), 0, beyond, 0)
    count = sum(taps(counted, 0, kernel, strides, dilations, made))
    total = sum(tap.astype(np.float64) for tap in taps(whole, first, kernel, strides, dilations, made))
    after = x.ndim - first - half
    return (total / np.asarray(count).reshape(*made, *[1] * after)).astype(x.dtype)
