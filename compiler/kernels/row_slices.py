"""Row tiles of `apply_filters`: what is multiplied together, and how tall they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.parts import RowTile, RowTilesAttr


def runs(tiles: Iterable[RowTile], sizes: Sequence[int]) -> list[tuple[int, list[tuple[int, int]]]]:
    """The slices, each of so many tiles: the input, and its row tiles."""
    rest = iter(tiles)
    found = [list(islice(rest, size)) for size in sizes]
    return [(run[0][0], [(start, stop) for _, start, stop in run]) for run in found]


def verify_slices(tiles: Sequence[RowTile], sizes: Sequence[int]) -> None:
    """Raise VerifyException unless slices of so many tiles take all of them, and each of them those of one input."""
    if min(sizes, default=0) < 1 or sum(sizes) != len(tiles):
        raise VerifyException(f"slices must hold numbers from 1 on, {len(tiles)} in all, not {list(sizes)}")
    rest = iter(tiles)
    for size in sizes:
        inputs = sorted({index for index, _, _ in islice(rest, size)})
        if len(inputs) > 1:
            raise VerifyException(f"slices must be of one input each, not of inputs {inputs[0]} and {inputs[1]}")


def lower_tiles(tiles: Sequence[RowTile], sizes: Sequence[int], height: int) -> dict[str, Attribute]:
    """The properties `tiles` and, if there are slices of so many tiles, `slices`, with no tile taller than `height`.

    A slice stays one.
    """
    cut = [
        [(index, low, min(low + height, stop)) for low in range(start, stop, height)] for index, start, stop in tiles
    ]
    found: dict[str, Attribute] = {"tiles": RowTilesAttr(tuple(part for parts in cut for part in parts))}
    if sizes:
        counts = iter(map(len, cut))
        found["slices"] = attr.ints(sum(islice(counts, size)) for size in sizes)
    return found
