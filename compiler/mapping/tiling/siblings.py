"""Small layers move beside a larger one that multiplies the same tensors, where what both lead to is added up.

The product in the shortcut of a residual block stands where its input is made, and sends its result to where the block
ends. If a core does the whole block, it gets that input anyway: there the product costs no message at all.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from compiler.mapping import tuned
from compiler.mapping.tiling.core_work import CoreLimits, CoreWork, Feeds, depths, is_whole, measured, piece_order
from compiler.mapping.tiling.matrix import Matrix, Piece


def with_siblings(
    matrices: Sequence[Matrix], cores: Sequence[CoreWork], single: Collection[Piece], feeds: Feeds, limits: CoreLimits
) -> list[CoreWork]:
    """`cores` with those of the `single` pieces moved that are small whole layers, as far as the limits allow."""
    found, ends = list(cores), _ends(feeds, depths(feeds, len(matrices)))
    for piece in sorted(single, key=piece_order):
        if piece.matrix not in ends or not is_whole(matrices, piece):
            continue
        source = next(number for number, core in enumerate(found) if piece in core.pieces)
        unit, held = measured(matrices, [piece]), _wholes(matrices, found)
        for number, core in enumerate(found):
            if (
                ends[piece.matrix] in held[number] - held[source]
                and any(feeds.get(other) == feeds[piece.matrix] for other in held[number])
                and tuned.SMALL_LAYER * unit.work.products <= core.work.products
                and core.work.products + unit.work.products <= limits.most.products
                and limits.hold(core, unit)
            ):
                core.take(unit)
                left = [other for other in found[source].pieces if other != piece]
                found[source : source + 1] = [measured(matrices, left)] if left else []
                break
    return found


def _ends(feeds: Feeds, depth: Sequence[int]) -> dict[int, int]:
    """Of matrices that are fed: the deepest one of those with which they first lead to one, if that is another."""
    ends: dict[int, int] = {}
    for matrix in sorted(feeds, key=lambda index: depth[index], reverse=True):
        deepest = max(feeds[matrix], key=lambda source: (depth[source], source), default=matrix)
        ends.update(dict.fromkeys(feeds[matrix], deepest))
    return {index: end for index, end in ends.items() if feeds.get(index) and end != index}


def _wholes(matrices: Sequence[Matrix], cores: Sequence[CoreWork]) -> list[set[int]]:
    """Of each core the matrices that it has whole."""
    return [{piece.matrix for piece in core.pieces if is_whole(matrices, piece)} for core in cores]
