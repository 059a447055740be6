"""Some places along an axis of the result of a nest: what they need of its operands, and the nest that makes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from compiler.nests.linear import Linear, Map
from compiler.nests.nest import Nest
from emu.program.form import Box

Narrow = Callable[[int, int, Linear], bool]  # by axis, axes of a tile, and an index of one dimension: whether it is cut


@dataclass(frozen=True, slots=True)
class NestCut:
    """The `nest` of some points of dimension `dim`, and the boxes that it needs of each tile.

    Its other operands are arrays, which stay whole.
    """

    nest: Nest
    dim: int
    boxes: list[Box]


def channel_cut(nest: Nest, shapes: Sequence[Sequence[int]], low: int, high: int) -> NestCut | None:
    """Channels [low, high) of the result of a nest on tiles of `shapes`; None if no dimension counts the channels.

    Of a tile of which channel c needs channel c + k it takes these, of any other one all: tiles have axes of their own,
    as many as they like, and their channels are the last one, which need not be the place of those of the result.
    """
    dim = nest.target[-1].only
    if dim is None:
        return None
    return _cut(nest, shapes, dim, (low, high), lambda axis, axes, index: axis == axes - 1 and index.factor(dim) == 1)


def axis_cut(nest: Nest, shapes: Sequence[Sequence[int]], axis: int, low: int, high: int) -> NestCut | None:
    """Places [low, high) of an axis of the result of a nest on tiles of `shapes`; None if no dimension counts them.

    Of a tile of which they need some places along an axis it takes these, of any other one all.
    """
    dim = nest.target[axis].only
    return None if dim is None else _cut(nest, shapes, dim, (low, high), lambda axis, axes, index: True)


def _cut(nest: Nest, shapes: Sequence[Sequence[int]], dim: int, part: tuple[int, int], narrow: Narrow) -> NestCut:
    (low, high), boxes, sources = part, list[Box](), list[Map]()
    for indices, shape in zip(nest.sources, shapes, strict=False):
        ranges, made = list[tuple[int, int]](), list[Linear]()
        for axis, (index, size) in enumerate(zip(indices, shape, strict=True)):
            begin, end = 0, size
            if [one for one, _ in index.factors] == [dim] and narrow(axis, len(shape), index):
                ends = [index.constant + index.factor(dim) * at for at in (low, high - 1)]
                begin, end = min(ends), max(ends) + 1
            ranges.append((begin, end))
            made.append(index.plus(low * index.factor(dim) - begin))
        boxes.append(tuple(ranges))
        sources.append(tuple(made))
    sizes = tuple(high - low if place == dim else size for place, size in enumerate(nest.sizes))
    return NestCut(replace(nest, sizes=sizes, sources=(*sources, *nest.sources[len(sources) :])), dim, boxes)
