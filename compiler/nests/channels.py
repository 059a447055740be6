"""Some channels of the result of a nest: which channels of its operands they need, and the nest that makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiler.nests.linear import Linear, Map
from compiler.nests.nest import Nest


@dataclass(frozen=True, slots=True)
class NestCut:
    """The `nest` of some channels, the last dimension of tensors, which its dimension `channel` counts.

    `ranges` are the channels that it needs of each tile; its other operands are arrays, which stay whole.
    """

    nest: Nest
    channel: int
    ranges: list[tuple[int, int]]


def channel_cut(nest: Nest, shapes: Sequence[Sequence[int]], low: int, high: int) -> NestCut | None:
    """Channels [low, high) of the result of a nest on tiles of `shapes`; None if no dimension counts the channels.

    Of a tile of which channel c needs channel c + k it takes these, of any other one all.
    """
    channel = nest.target[-1].only
    if channel is None:
        return None
    ranges, sources = list[tuple[int, int]](), list[Map]()
    for indices, shape in zip(nest.sources, shapes, strict=False):
        last = indices[-1]
        if last.factors == ((channel, 1),):
            ranges.append((low + last.constant, high + last.constant))
            last = Linear.dim(channel)
        else:
            ranges.append((0, shape[-1]))
            last = last.plus(low * last.factor(channel))
        sources.append((*(index.plus(low * index.factor(channel)) for index in indices[:-1]), last))
    sizes = tuple(high - low if dim == channel else size for dim, size in enumerate(nest.sizes))
    part = replace(nest, sizes=sizes, sources=(*sources, *nest.sources[len(sources) :]))
    return NestCut(part, channel, ranges)
