"""Windows over tensors as loop nests: what a core multiplies with, and poolings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from emu.interop.mop.chip import ELEMENT_BYTES
from emu.interop.mop.elements import DIVIDES
from emu.interop.mop.emitter import Emitter, Loops, Moves, at, dense
from emu.interop.mop.flow import Core, Params
from emu.interop.mop.products import Products
from emu.interop.mop.window import Window, window_of
from emu.isa.address import Address

MAX_REACH = 1 << 27  # elements that the windows of an operator may reach over, with padding


@dataclass(frozen=True, slots=True)
class View:
    """Where windows find their elements: those of places and kernel positions along each axis, in bytes."""

    base: int
    places: Sequence[int]
    taps: Sequence[int]
    joined: bool  # whether what a window takes along the last axis lies together


class Windows:
    """Lowers operators whose operand is a window."""

    def __init__(self, emitter: Emitter, products: Products) -> None:
        self._emitter, self._products = emitter, products
        self.lowered: Mapping[str, Callable[..., None]] = {
            "cim.read_core": self._read_core,
            "MaxPool": self._max_pool,
            "AveragePool": self._average_pool,
        }

    # what windows slide over ------------------------------------------------------------------------------------

    def _view(self, window: Window, source: int, target: int, fill: float) -> View:
        """The tensor at `source`, or a copy with padding, or of what results at `target` would overwrite."""
        memory = self._emitter.memory
        extents = [
            (places - 1) * stride + (kernel - 1) * dilation + 1
            for places, stride, kernel, dilation in zip(
                window.places, window.stride, window.kernel, window.dilation, strict=True
            )
        ]
        start, base = source + window.channels.low, memory.element(source, window.source_size)
        base += window.channels.low * ELEMENT_BYTES
        result = target + window.filters.low
        last = (window.count - 1) * window.out_pitch + window.width
        overlaps = result < start + window.source_size and start < result + last
        inside = all(extent <= size for extent, size in zip(extents, window.sizes, strict=True))
        if overlaps or any(window.pad) or not inside:
            base, sizes, pitch = self._padded(window, base, extents, fill), extents, window.depth
        else:
            sizes, pitch = window.sizes, window.pitch
        steps = dense(sizes, pitch * ELEMENT_BYTES)
        joined = bool(sizes) and pitch == window.depth and window.dilation[-1] == 1
        places = [step * stride for step, stride in zip(steps, window.stride, strict=True)]
        taps = [step * dilation for step, dilation in zip(steps, window.dilation, strict=True)]
        return View(base, places, taps, joined)

    def _padded(self, window: Window, base: int, extents: Sequence[int], fill: float) -> int:
        """The address of a copy of what windows reach, `fill` where that is outside of the tensor."""
        emitter, size = self._emitter, prod(extents) * window.depth
        if size > MAX_REACH:
            raise ValueError(f"its windows reach over {size} elements: at most {MAX_REACH} can be held here")
        copy = emitter.memory.scratch("padded", size * ELEMENT_BYTES)
        self._fill(Address(copy), size, fill)
        sizes = [min(size, extent - pad) for size, extent, pad in zip(window.sizes, extents, window.pad, strict=True)]
        if min(sizes, default=1) < 1:
            return copy  # there is nothing but padding
        steps, targets = (
            dense(window.sizes, window.pitch * ELEMENT_BYTES),
            dense(extents, window.depth * ELEMENT_BYTES),
        )
        first = copy + sum(pad * step for pad, step in zip(window.pad, targets, strict=True))
        n = window.depth
        if sizes and window.depth == window.pitch:
            n, sizes, steps, targets = n * sizes[-1], sizes[:-1], steps[:-1], targets[:-1]
        with emitter.axes(sizes) as loops:
            emitter.copy(at(first, (loops, targets)), at(base, (loops, steps)), n)
        return copy

    def _fill(self, target: Address, n: int, value: float) -> None:
        element = np.array([value], self._emitter.element.numpy)
        self._emitter.copy(target, Address(self._emitter.memory.constant(element), stride=0), n)

    def _results(self, window: Window, target: int) -> tuple[int, Sequence[int]]:
        """The address of the first result, and the distances of others along each axis."""
        start = target + window.filters.low
        base = self._emitter.memory.element(start, (window.count - 1) * window.out_pitch + window.width)
        return base, dense(window.places, window.out_pitch * ELEMENT_BYTES)

    # products ---------------------------------------------------------------------------------------------------

    def _read_core(self, layer: str, params: Params, core: Core, source: int, target: int) -> None:
        window = window_of(params)
        assert window.weights is not None  # it was checked
        group = self._products.group(window.weights)
        view, (results, steps) = self._view(window, source, target, window.fill), self._results(window, target)
        first = window.weights.box[0][0] * ELEMENT_BYTES  # of the rows that a part of the weights multiplies with
        with self._emitter.axes(window.places) as loops:
            base, moves = self._gathered(window, view, loops)
            self._products.multiply(group, at(results, (loops, steps)), at(base + first, *moves))

    def _gathered(self, window: Window, view: View, loops: Loops) -> tuple[int, Sequence[Moves]]:
        """Where the elements of a window lie in the order of rows of weights, and how that place moves."""
        kernel, taps, n = window.kernel, view.taps, window.depth
        if view.joined:
            n, kernel, taps = n * kernel[-1], kernel[:-1], taps[:-1]
        if prod(kernel) == 1:
            return view.base, ((loops, view.places),)
        patch = self._emitter.memory.scratch("patch", window.rows * ELEMENT_BYTES)
        with self._emitter.axes(kernel) as inner:
            source = at(view.base, (loops, view.places), (inner, taps))
            self._emitter.copy(at(patch, (inner, dense(kernel, n * ELEMENT_BYTES))), source, n)
        return patch, ()

    # poolings ---------------------------------------------------------------------------------------------------

    def _max_pool(self, params: Params, source: int, target: int) -> None:
        element = self._emitter.element
        low = -np.inf if element.is_float else float(np.iinfo(element.numpy).min)
        self._pool("vvmax", window_of(params), source, target, low, low)

    def _average_pool(self, params: Params, source: int, target: int) -> None:
        window = window_of(params)
        self._pool("vvadd", window, source, target, 0.0, -0.0)  # -0.0 is what changes no number when it is added to
        counts = self._emitter.memory.constant(_counts(window).astype(self._emitter.element.numpy))
        base, steps = self._results(window, target)
        with self._emitter.axes(window.places) as loops:
            result = at(base, (loops, steps))
            count = at(counts, (loops, dense(window.places, ELEMENT_BYTES)), stride=0)
            self._emitter.vector(DIVIDES, (self._emitter.element,), result, result, count, n=window.depth)

    def _pool(self, name: str, window: Window, source: int, target: int, fill: float, first: float) -> None:
        """Combine `first` with the elements of each window, `fill` where it reaches out of the tensor, one by one."""
        emitter, view = self._emitter, self._view(window, source, target, fill)
        base, steps = self._results(window, target)
        with emitter.axes(window.places) as loops:
            self._fill(at(base, (loops, steps)), window.depth, first)
        with emitter.axes(window.kernel) as taps, emitter.axes(window.places) as loops:
            result, here = at(base, (loops, steps)), at(view.base, (taps, view.taps), (loops, view.places))
            emitter.vector(name, (emitter.element,), result, result, here, n=window.depth)


def _counts(window: Window) -> np.ndarray:
    """By how many elements the sum of each window is divided: those inside of the tensor, or all."""
    if window.count_pads:
        return np.full(window.count, prod(window.kernel))
    total = np.ones((), np.int64)
    for size, places, kernel, stride, dilation, pad in zip(
        window.sizes, window.places, window.kernel, window.stride, window.dilation, window.pad, strict=True
    ):
        at_taps = np.arange(places)[:, None] * stride + np.arange(kernel) * dilation - pad
        total = np.multiply.outer(total, ((at_taps >= 0) & (at_taps < size)).sum(1))
    return np.maximum(total.reshape(-1), 1)
