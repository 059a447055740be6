"""Chains: a grouped convolution with its neighbours, cut into slices of channels that stay on their cores.

In networks of inverted bottlenecks (MobileNetV2, Sandler et al. 2018) most bytes lie between what makes the channels of
a depthwise convolution, the convolution, and what multiplies its result. None of them need leave a core: only the
partial sums of the last product do, and that has few channels.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count, islice

from compiler.mapping.tiling.matrix import BlockMatrix, FilterMatrix, Matrix, Piece
from compiler.mapping.tiling.spread import Cutter, cutter, even_ranges, rectangles, tightest_cuts
from compiler.mapping.work import Work


@dataclass(frozen=True, slots=True)
class Chain:
    """Indices of matrices: `before` makes the input channels of the grouped `middle`, `after` multiplies its result."""

    before: int | None
    middle: int
    after: int | None

    @property
    def members(self) -> tuple[int, ...]:
        """The indices, in the order of the data."""
        return tuple(index for index in (self.before, self.middle, self.after) if index is not None)


def find_chains(matrices: Sequence[Matrix], sources: Mapping[int, int]) -> list[Chain]:
    """Every grouped convolution with its neighbours, where it has any; no matrix is in two chains.

    `sources`: by index of a matrix, that of the matrix which alone makes its input, where there is one.
    """
    taken: set[int] = set()
    chains: list[Chain] = []
    followers = {source: index for index, source in sorted(sources.items(), reverse=True)}  # the first of several
    for index, matrix in enumerate(matrices):
        if not isinstance(matrix, BlockMatrix):
            continue
        before, after = sources.get(index), followers.get(index)
        chain = Chain(
            before if _dense(matrices, before) and before not in taken else None,
            index,
            after if _dense(matrices, after) else None,
        )
        if len(chain.members) > 1:
            chains.append(chain)
            taken.update(chain.members)
    return chains


def _dense(matrices: Sequence[Matrix], index: int | None) -> bool:
    return index is not None and isinstance(matrices[index], FilterMatrix)


def sliced(matrices: Sequence[Matrix], chain: Chain, parts: int) -> dict[int, Matrix]:
    """The members of `chain` by index, cut so that no tile crosses the bounds of `parts` slices of groups."""
    middle = matrices[chain.middle]
    assert isinstance(middle, BlockMatrix)
    cuts = [high for _, high in even_ranges(middle.groups, parts)][:-1]
    members: dict[int, Matrix] = {chain.middle: replace(middle, group_cuts=tuple(cuts))}
    if chain.before is not None:
        before = matrices[chain.before]
        assert isinstance(before, FilterMatrix)
        members[chain.before] = replace(before, filter_cuts=tuple(cut * middle.group_channels for cut in cuts))
    if chain.after is not None:
        after = matrices[chain.after]
        assert isinstance(after, FilterMatrix)
        members[chain.after] = replace(after, channel_cuts=tuple(cut * middle.group_filters for cut in cuts))
    return members


def slices(matrices: Mapping[int, Matrix], chain: Chain, parts: int) -> list[list[Piece]]:
    """The pieces of each of `parts` slices, still without a core; `matrices` are those that `sliced` returned."""
    middle = matrices[chain.middle]
    assert isinstance(middle, BlockMatrix)
    by_slice: list[list[Piece]] = []
    channels = _channels_of_rows(matrices, chain)
    for low, high in even_ranges(middle.groups, parts):
        pieces = [Piece(chain.middle, (0, 1), _inside(middle.blocks, low, high))]
        if chain.before is not None:
            before = matrices[chain.before]
            assert isinstance(before, FilterMatrix)
            bounds = low * middle.group_channels, high * middle.group_channels
            pieces.insert(0, Piece(chain.before, (0, before.grid[0]), _inside(before.col_tiles, *bounds)))
        if chain.after is not None:
            after = matrices[chain.after]
            assert isinstance(after, FilterMatrix)
            bounds = low * middle.group_filters, high * middle.group_filters
            pieces.append(Piece(chain.after, _inside(channels, *bounds), (0, after.grid[1])))
        by_slice.append(pieces)
    return by_slice


def _channels_of_rows(matrices: Mapping[int, Matrix], chain: Chain) -> list[tuple[int, int]]:
    """The range of channels of each row tile of what multiplies the result of a chain's middle."""
    after = None if chain.after is None else matrices[chain.after]
    assert not isinstance(after, BlockMatrix)
    return [] if after is None else [after.channel_tiles[row.tile] for row in after.row_tiles]


def _inside(tiles: Sequence[tuple[int, int]], low: int, high: int) -> tuple[int, int]:
    """The range of indices of the tiles in [low, high); `tiles` are in order, and none crosses a bound."""
    begin = bisect_left(tiles, low, key=lambda tile: tile[0])
    return begin, bisect_right(tiles, high, begin, key=lambda tile: tile[1])


def spread_chains(
    matrices: Sequence[Matrix], chains: Sequence[Chain], cores: int, capacity: int
) -> tuple[list[Matrix], list[Piece]] | None:
    """The matrices as cut and their pieces: like `spread`, but each slice of a chain on one core.

    None if there are too few cores.
    """
    chained = {chain.members[0]: chain for chain in chains}
    members = {index for chain in chains for index in chain.members}
    items = [chained.get(i, i) for i in range(len(matrices)) if i in chained or i not in members]
    cutters = [
        _chain_cutter(matrices, item, cores, capacity) if isinstance(item, Chain) else cutter(matrices[item], capacity)
        for item in items
    ]
    cuts = tightest_cuts(cutters, cores, sum(matrix.work.products for matrix in matrices))
    if cuts is None:
        return None
    cut = list(matrices)
    pieces: list[Piece] = []
    numbers = count()
    for item, parts in zip(items, cuts, strict=True):
        if isinstance(item, Chain):
            parts_of = sliced(matrices, item, parts[1])
            for index, matrix in parts_of.items():
                cut[index] = matrix
            for members_of_slice, core in zip(slices(parts_of, item, parts[1]), numbers, strict=False):
                pieces += [replace(piece, core=core) for piece in members_of_slice]
        else:
            pieces += [Piece(item, rows, cols, next(numbers)) for rows, cols in rectangles(matrices[item].grid, *parts)]
    return cut, sorted(pieces, key=lambda piece: (piece.matrix, piece.core))


def _chain_cutter(matrices: Sequence[Matrix], chain: Chain, cores: int, capacity: int) -> Cutter:
    """The fewest slices for a bound on the work of a slice."""
    middle = matrices[chain.middle]
    assert isinstance(middle, BlockMatrix)
    needs = list(islice(largest_slices(matrices, chain), cores))

    def cut(bound: int) -> tuple[int, int] | None:
        most = Work(capacity, bound)
        fitting = (parts for parts, work in enumerate(needs, start=1) if work.within(most))
        parts = next(fitting, None)
        return None if parts is None else (1, parts)

    return cut


def largest_slices(matrices: Sequence[Matrix], chain: Chain) -> Iterator[Work]:
    """For 1, 2, ... slices of `chain`: the work of the largest one, without results.

    Slices differ by at most one group, and one with more groups has no fewer tiles: it is the widest one that counts.
    """
    middle = matrices[chain.middle]
    assert isinstance(middle, BlockMatrix)

    @cache
    def of_groups(groups: int) -> Work:
        members = [_narrow(matrices[index], middle, groups, index == chain.after) for index in chain.members]
        return sum((matrix.work for matrix in members), start=Work())

    for parts in range(1, middle.groups + 1):
        yield of_groups(-(-middle.groups // parts))


def _narrow(matrix: Matrix, middle: BlockMatrix, groups: int, after: bool) -> Matrix:
    """What a slice of so many groups has of a member of the chain around `middle`."""
    if isinstance(matrix, BlockMatrix):
        return replace(matrix, groups=groups)
    if after:
        return replace(matrix, channels=groups * middle.group_filters)
    return replace(matrix, filters=groups * middle.group_channels)
