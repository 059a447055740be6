"""Tiles cut again along their channels where they are made, so that each of several cores is sent its part only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from xdsl.ir import Block

from compiler.dialects import spat
from compiler.mapping.cutting.compute import ComputeBuilder
from compiler.mapping.cutting.tiles import Tile


def narrowed(into: Block, layer: spat.LayerOp, tiles: Sequence[Tile], cuts: Iterable[int]) -> list[Tile]:
    """`tiles`, those that a channel of `cuts` divides as a copy per part, made for `layer` by a compute in `into`.

    What comes from the global memory stays as it is: whoever loads it copies from it. So do tiles that are bands.
    """
    bounds, made = sorted(set(cuts)), list[Tile]()
    bands = len({tile.box[:-1] for tile in tiles}) > 1
    for tile in tiles:
        inside, maker = [bound for bound in bounds if tile.low < bound < tile.high], tile.value.owner
        if bands or not inside or not isinstance(maker, spat.ComputeOp):
            made.append(tile)
            continue
        builder = ComputeBuilder(into, layer, f"channels {tile.low}-{tile.high - 1} in parts", tile.cluster)
        made += builder.finish_parts(tile, maker, list(pairwise((tile.low, *inside, tile.high))))
    return made
