"""Kernels that multiply by weights: `apply_filters`, `apply_blocks`, `vadd`, `recurrent`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.interpreter.calls import KernelCall, KernelMeaning
from compiler.interpreter.products import narrow, wide
from compiler.interpreter.recurrent import Layer
from compiler.interpreter.windows import extents, taps


def _windows(call: KernelCall, index: int) -> list[Array]:
    """Per position of the kernel, what the windows of the rows to make meet of an input."""
    op = call.op
    kernel, strides, dilations = (attr.values(part) for part in (op.kernel, op.strides, op.dilations))
    low, reach = call.first * strides[0], extents(kernel, dilations)[0]
    x = call.rows(index, low, low + (call.count - 1) * strides[0] + reach)
    return [wide(tap) for tap in taps(x, 0, kernel, strides, dilations, call.made()[:-1])]


def _biased(total: Array, bias: Array | None, call: KernelCall) -> Array:
    total = narrow(total, call.dtype())
    return total if bias is None else total + bias


def apply_filters(call: KernelCall) -> list[Array]:
    """Row tiles of the window times filters, of all inputs together."""
    op, filters, made = call.op, call.weights("weights"), list[Array]()
    seen = [_windows(call, index) for index in range(len(call.tiles))]
    for place, (low, high) in enumerate(op.channels.data):
        total = np.zeros((*call.made(place)[:-1], high - low), seen[0][0].dtype)
        for index, (origin, windows) in enumerate(zip(attr.values(op.origins), seen, strict=True)):
            channels = windows[0].shape[-1]
            part = wide(filters[low:high, origin : origin + channels]).reshape(high - low, channels, -1)
            matrix = part.transpose(2, 1, 0).reshape(-1, high - low)  # [kernel position x channel][filter]
            for position, window in enumerate(windows):
                first = position * channels
                for start, stop in _within(op.tiles.data, index, first, first + channels):
                    total += window[..., start - first : stop - first] @ matrix[start:stop]
        made.append(_biased(total, call.bias(place, low, high), call))
    return made


def _within(tiles: Sequence[tuple[int, int, int]], index: int, low: int, high: int) -> list[tuple[int, int]]:
    """The parts of rows [low, high) that the row tiles of an input hold; neighbours are one part."""
    parts = list[tuple[int, int]]()
    for of, start, stop in tiles:
        start, stop = max(low, start), min(high, stop)
        if of == index and start < stop:
            if parts and parts[-1][1] == start:
                parts[-1] = parts[-1][0], stop
            else:
                parts.append((start, stop))
    return parts


def apply_blocks(call: KernelCall) -> list[Array]:
    """Each group of channels times its own filters."""
    op, filters = call.op, call.weights("weights")
    (first, last), each = op.blocks.whole, len(filters) // op.groups.value.data
    low, high, count = first * each, last * each, last - first
    part = wide(filters[low:high])
    part = part.reshape(count, each, part.shape[1], -1)  # [group][filter][channel][kernel position]
    total = np.zeros((count, prod(call.made()[:-1]), each), part.dtype)
    for position, window in enumerate(_windows(call, 0)):
        groups = window.reshape(total.shape[1], count, part.shape[2]).swapaxes(0, 1)  # [group][pixel][channel]
        total += np.ascontiguousarray(groups) @ part[..., position].swapaxes(1, 2)
    return [_biased(total.swapaxes(0, 1).reshape(call.made()), call.bias(0, low, high), call)]


def vadd(call: KernelCall) -> list[Array]:
    """Two partial sums and the bias."""
    low, high = call.op.channels.whole
    return [_biased(call.same_rows(0) + call.same_rows(1), call.bias(0, low, high), call)]


def recurrent(call: KernelCall) -> list[Array]:
    """Steps of time; its states are kept from one instance to the next."""
    op, cell = call.op, call.op.row
    given = {name.data: index for index, name in enumerate(op.given, start=1)}
    names = ("bias", "hidden_bias", "peepholes", "lengths")
    own: dict[str, Any] = {name: call.weights(name) if op.properties.get(name) is not None else None for name in names}
    if "lengths" in given:
        own["lengths"] = call.whole(given["lengths"]).reshape(-1)
    layer = Layer(cell, op.bodies.data, call.weights("weights"), **own)
    states = dict(zip(cell.states, (np.array(part[0]) for part in call.kept), strict=False))
    if call.first == 0:
        states = {name: _initial(call, name, given) for name in cell.states}
    x = call.rows(0, call.first, call.first + call.count)
    made = {name.data: np.zeros(call.made(), x.dtype) for name in op.makes}
    times = range(call.first, call.first + call.count)
    for time, y in layer.run(x, states, reversed(times) if op.reverse.value.data else times, call.first):
        for name, array in made.items():
            array[time - call.first] = (y if name == "y" else states[name]).reshape(array.shape[1:])
    for part, state in zip(call.kept, states.values(), strict=False):
        part[0] = state
    return list(made.values())


def _initial(call: KernelCall, name: str, given: Mapping[str, int]) -> Array:
    """The state before the first step: a row of an input, a constant, or zeros."""
    if name in given:
        row = call.op.direction.value.data
        return np.array(call.rows(given[name], row, row + 1)[0])
    if call.op.properties.get(f"initial_{name}") is not None:
        return np.array(call.weights(f"initial_{name}"))
    return np.zeros((call.op.batch, call.op.size), call.dtype())


MEANINGS: Mapping[str, KernelMeaning] = {
    "kernel.apply_filters": apply_filters,
    "kernel.apply_blocks": apply_blocks,
    "kernel.vadd": vadd,
    "kernel.recurrent": recurrent,
}
