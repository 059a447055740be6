"""Kernels on elements, windows and lines of tiles, and those that put boxes together; and `kernel.nest`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.interpreter import indexed
from compiler.interpreter.calls import KernelCall, KernelMeaning
from compiler.interpreter.elements import cumulated, neighbours, softmax
from compiler.interpreter.nests import Indices, maps_of, run_nest
from compiler.interpreter.windows import SlidingWindow, extents, pooled
from compiler.interpreter.world import Undefined


def _pool(call: KernelCall) -> list[Array]:
    """The windows of the rows to make, on the rows that they reach and on so much of the padding."""
    op, (height, *_) = call.op, call.op.input_shapes[0]
    whole = SlidingWindow(*map(attr.values, (op.kernel, op.strides, op.dilations, op.pads)))
    axes, stride = len(whole.kernel), whole.strides[0]
    first = call.first * stride - whole.pads[0]
    last = first + (call.count - 1) * stride + extents(whole.kernel, whole.dilations)[0]
    low = min(max(0, first), height)
    high = max(low, min(height, last))
    above, below = max(0, low - first), max(0, min(last, height + whole.pads[axes]) - max(high, first))
    pads = (above, *whole.pads[1:axes], below, *whole.pads[axes + 1 :])
    include = bool(op.count_include_pad.value.data)
    part = whole._replace(pads=pads)
    return [pooled(call.rows(0, low, high), 0, op.kind.data, part, call.made()[:-1], include)]


def _lrn(call: KernelCall) -> list[Array]:
    op, x = call.op, call.same_rows(0).astype(np.float64)
    halo, channels = op.halo.value.data, call.shape(0)[-1]
    sums = neighbours(x * x, op.size.value.data)
    scale = op.bias.value.data + op.alpha.value.data / op.size.value.data * sums
    return [(x / scale**op.beta.value.data)[..., halo : halo + channels]]


def _concat(call: KernelCall) -> list[Array]:
    op = call.op
    fill = op.fill.value.data if op.fill is not None else 0
    made = np.full(call.made(), fill).astype(call.dtype())
    for index, (origin, start, size) in enumerate(op.parts.data):
        low, high = max(origin[0], call.first), min(origin[0] + size[0], call.first + call.count)
        if low < high:
            x = call.rows(index, start[0] + low - origin[0], start[0] + high - origin[0])
            taken = tuple(slice(at, at + many) for at, many in zip(start[1:], size[1:], strict=True))
            place = tuple(slice(at, at + many) for at, many in zip(origin[1:], size[1:], strict=True))
            made[(slice(low - call.first, high - call.first), *place)] = x[(slice(None), *taken)]
    return [made]


def _interleave(call: KernelCall) -> list[Array]:
    op, strides = call.op, attr.values(call.op.strides)
    bias = call.bias(0, *op.channels.whole)
    made = np.zeros(call.made(), call.dtype()) + (0 if bias is None else bias)
    for index, origin in enumerate(op.origins.data):
        shape = op.input_shapes[index]
        low = max(0, -((origin[0] - call.first) // strides[0]))
        high = min(shape[0], -((origin[0] - call.first - call.count) // strides[0]))
        if low < high:
            cuts = [
                slice(at, at + (size - 1) * step + 1, step)
                for at, size, step in zip(origin[1:], shape[1:-1], strides[1:], strict=True)
            ]
            begin = origin[0] + low * strides[0] - call.first
            rows = slice(begin, begin + (high - low - 1) * strides[0] + 1, strides[0])
            made[(rows, *cuts)] = call.rows(index, low, high)
    return [made]


def _scan(call: KernelCall) -> list[Array]:
    op = call.op
    return [cumulated(call.whole(0), op.axis.value.data, bool(op.exclusive.value.data), bool(op.reverse.value.data))]


def _gather(call: KernelCall) -> list[Array]:
    shared = call.op.input_shapes[1] != call.shape(0)
    places = call.whole(1).reshape(-1) if shared else call.same_rows(1)
    return [indexed.gathered(call.op, call.same_rows(0), places)]


def _put(call: KernelCall) -> list[Array]:
    shared = call.op.input_shapes[1] != call.op.input_shapes[2]
    places = call.whole(1).reshape(-1) if shared else call.same_rows(1)
    return [indexed.put(call.op, call.same_rows(0), places, call.same_rows(2), call.op.combine.data)]


def _arg(call: KernelCall) -> list[Array]:
    return [indexed.extreme(call.same_rows(0), call.op.kind.data, bool(call.op.last.value.data))[:, None]]


def _topk(call: KernelCall) -> list[Array]:
    return [*indexed.sorted_first(call.same_rows(0), call.shape(0)[1], bool(call.op.largest.value.data))]


def _nest(call: KernelCall) -> list[Array]:
    """The part of the loops that makes the rows: tiles begin where their part does, arrays where the whole does."""
    op = call.op
    sizes, (*sources, target) = list(attr.values(op.sizes)), maps_of(op)
    begin, moved = list(attr.values(op.properties.get("origin"))) or [0] * len(sizes), [0] * len(sizes)
    if call.count < call.shape(0)[0]:  # one loop counts the rows: some of its turns make them
        row = target.factors[0].index(1)
        sizes[row], moved[row] = call.count, call.first
    begin = [at + more for at, more in zip(begin, moved, strict=True)]
    operands = list[tuple[Array, Indices]]()
    for index, indices in enumerate(sources[: len(call.tiles)]):
        here = indices.shifted(moved)
        low, high = here.bounds(sizes)[0]
        operands.append((call.rows(index, low, high), here.less([low] + [0] * (len(here.constants) - 1))))
    for place, indices in enumerate(sources[len(call.tiles) :]):
        operands.append(_array(call, place, indices, begin, sizes))
    lows = [call.first] + [0] * (len(target.constants) - 1)
    try:
        made = call.made(), target.shifted(moved).less(lows)
        return [run_nest(op, operands, made, sizes, begin, call.dtype())]
    except IndexError as error:
        raise Undefined(op, str(error)) from None


def _array(call: KernelCall, place: int, indices: Indices, begin: list[int], sizes: list[int]) -> tuple[Array, Indices]:
    """A constant array, and where the loops from `begin` on meet it; of a buffer, which holds what all loops meet."""
    here = indices.shifted(begin)
    if not call.constants:
        return call.world.weights.get(call.op.arrays.data[place].data), here
    whole = indices.shifted(attr.values(call.op.origin) or [0] * len(sizes)).bounds(attr.values(call.op.sizes))
    box = [high - low for low, high in whole]
    return call.constants[place].reshape(box), here.less([low for low, _ in whole])


MEANINGS: Mapping[str, KernelMeaning] = {
    "kernel.activation": lambda call: [call.same_rows(0)],
    "kernel.pool": _pool,
    "kernel.softmax": lambda call: [softmax(call.same_rows(0), -1)],
    "kernel.lrn": _lrn,
    "kernel.concat": _concat,
    "kernel.interleave": _interleave,
    "kernel.scan": _scan,
    "kernel.gather": _gather,
    "kernel.put": _put,
    "kernel.arg": _arg,
    "kernel.topk": _topk,
    "kernel.nest": _nest,
    "kernel.written_product": _nest,  # wherever its operands stand meanwhile
}
