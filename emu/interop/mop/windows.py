"""Windows over tensors as loop nests: what a core multiplies with, and poolings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from operator import gt, mul
from typing import cast

import numpy as np

from emu.interop.mop.accesses import APART
from emu.interop.mop.chip import ELEMENT_BYTES
from emu.interop.mop.elements import DIVIDES
from emu.interop.mop.emitter import Emit, Loops, SectionEmitter, at, dense
from emu.interop.mop.flow import Operand, Params
from emu.interop.mop.operators import OPERATORS
from emu.interop.mop.products import Products
from emu.interop.mop.window import Window, window_of
from emu.isa.address import Address

MAX_REACH = 1 << 27  # elements that the windows of an operator may reach over, with padding


@dataclass(frozen=True, slots=True)
class View:
    """Where windows find their elements: those of places and kernel positions along each axis, in bytes."""

    first: Address
    places: Sequence[int]
    taps: Sequence[int]
    joined: bool  # whether what a window takes along the last axis lies together


class Windows:
    """Lowers operators whose operand is a window."""

    def __init__(self, emitter: SectionEmitter, products: Products) -> None:
        self._emitter, self._products = emitter, products
        element = emitter.element
        low = -np.inf if element.is_float else float(np.iinfo(element.numpy).min)
        self._lowered: Mapping[str, Callable[[Window, bool, Address, Address], None]] = {
            "cim.read_core": self._read_core,
            "MaxPool": partial(self._pool, "vvmax", low, low),
            "AveragePool": self._average_pool,
        }

    def prepare(self, name: str, overlap: int, *args: Operand | None) -> Emit:
        """What an operator does with its windows; raises ValueError for weights or a reach that cannot be."""
        window = window_of(cast(Params, args[OPERATORS[name].places["params"][0]]))
        if window.weights is not None:
            self._products.group(window.weights)
        copies = overlap != APART or any(window.pad) or any(map(gt, window.extents, window.sizes))
        size = prod(window.extents) * window.depth
        if copies and size > MAX_REACH:
            raise ValueError(f"its windows reach over {size} elements: at most {MAX_REACH} can be held here")
        return partial(self._lowered[name], window, copies)

    # what windows slide over ------------------------------------------------------------------------------------

    def _view(self, window: Window, copies: bool, source: Address, fill: float) -> View:
        """The tensor at `source` or, with padding or if results would overwrite it, a copy."""
        sizes, pitch = window.sizes, window.pitch
        if copies:
            source, sizes, pitch = self._padded(window, source, fill), window.extents, window.depth
        steps = dense(sizes, pitch * ELEMENT_BYTES)
        joined = bool(sizes) and pitch == window.depth and window.dilation[-1] == 1
        return View(source, list(map(mul, steps, window.stride)), list(map(mul, steps, window.dilation)), joined)

    def _padded(self, window: Window, source: Address, fill: float) -> Address:
        """A copy of what windows reach, `fill` where that is outside of the tensor."""
        emitter, n, extents = self._emitter, window.depth, window.extents
        size = prod(extents) * n
        copy = emitter.memory.scratch("padded", size * ELEMENT_BYTES)
        self._fill(copy, size, fill)
        sizes = [min(size, extent - pad) for size, extent, pad in zip(window.sizes, extents, window.pad, strict=True)]
        if min(sizes, default=1) < 1:
            return copy  # there is nothing but padding
        steps, targets = dense(window.sizes, window.pitch * ELEMENT_BYTES), dense(extents, n * ELEMENT_BYTES)
        first = sum(map(mul, window.pad, targets))
        if sizes and n == window.pitch:
            n, sizes, steps, targets = n * sizes[-1], sizes[:-1], steps[:-1], targets[:-1]
        with emitter.axes(sizes) as loops:
            emitter.copy(at(copy, (loops, targets), offset=first), at(source, (loops, steps)), n)
        return copy

    def _fill(self, target: Address, n: int, value: float) -> None:
        element = self._emitter.memory.constant(np.array([value], self._emitter.element.numpy))
        self._emitter.copy(target, at(element, stride=0), n)

    # products ---------------------------------------------------------------------------------------------------

    def _read_core(self, window: Window, copies: bool, target: Address, source: Address) -> None:
        assert window.weights is not None  # it was checked
        group, view = self._products.group(window.weights), self._view(window, copies, source, window.fill)
        first = window.weights.box[0][0] * ELEMENT_BYTES  # of the rows that a part of the weights multiplies with
        with self._emitter.axes(window.places) as loops:
            gathered = at(self._gathered(window, view, loops), offset=first)
            self._products.multiply(group, at(target, (loops, _results(window))), gathered)

    def _gathered(self, window: Window, view: View, loops: Loops) -> Address:
        """Where the elements of a window lie in the order of rows of weights."""
        kernel, taps, n = window.kernel, view.taps, window.depth
        if view.joined:
            n, kernel, taps = n * kernel[-1], kernel[:-1], taps[:-1]
        place = at(view.first, (loops, view.places))
        if prod(kernel) == 1:
            return place
        patch = self._emitter.memory.scratch("patch", window.rows * ELEMENT_BYTES)
        with self._emitter.axes(kernel) as inner:
            self._emitter.copy(at(patch, (inner, dense(kernel, n * ELEMENT_BYTES))), at(place, (inner, taps)), n)
        return patch

    # poolings ---------------------------------------------------------------------------------------------------

    def _average_pool(self, window: Window, copies: bool, target: Address, source: Address) -> None:
        self._pool("vvadd", 0.0, -0.0, window, copies, target, source)  # adding to -0.0 changes no number
        counts = self._emitter.memory.constant(_counts(window).astype(self._emitter.element.numpy))
        with self._emitter.axes(window.places) as loops:
            result = at(target, (loops, _results(window)))
            count = at(counts, (loops, dense(window.places, ELEMENT_BYTES)), stride=0)
            self._emitter.vector(DIVIDES, (self._emitter.element,), result, result, count, n=window.depth)

    def _pool(
        self, name: str, fill: float, first: float, window: Window, copies: bool, target: Address, source: Address
    ) -> None:
        """Combine `first` with the elements of each window, `fill` where it reaches out of the tensor, one by one."""
        emitter, view, steps = self._emitter, self._view(window, copies, source, fill), _results(window)
        with emitter.axes(window.places) as loops:
            self._fill(at(target, (loops, steps)), window.depth, first)
        with emitter.axes(window.kernel) as taps, emitter.axes(window.places) as loops:
            result, here = at(target, (loops, steps)), at(view.first, (taps, view.taps), (loops, view.places))
            emitter.vector(name, (emitter.element,), result, result, here, n=window.depth)


def _results(window: Window) -> Sequence[int]:
    """The bytes between neighbouring results along each axis."""
    return dense(window.places, window.out_pitch * ELEMENT_BYTES)


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
