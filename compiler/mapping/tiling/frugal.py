"""Placement `frugal`: what the busiest core's work allows to be sent less, on no more cores than help.

`spread` balances the work over all cores, though the busiest core cannot do with less than some matrix needs. Here all
others are cut again, into as few and as favourable parts as that core's work allows, and layers share cores.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice

from compiler.mapping.cost import NOMINAL
from compiler.mapping.tiling.chain import Chain, largest_slices, sliced, slices
from compiler.mapping.tiling.core_work import CoreLimits, Feeds
from compiler.mapping.tiling.cuts import GridCut, cheapest, part_time, ways
from compiler.mapping.tiling.matrix import FilterMatrix, Matrix, Piece
from compiler.mapping.tiling.shared_cores import join_stages
from compiler.mapping.tiling.spread import work_of
from compiler.mapping.work import WORD, Work

Made = tuple[dict[int, Matrix], list[list[Piece]]]  # matrices as cut, by index, and the pieces of each core


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to cut a matrix or a chain: its nominal time, the cores that it takes, and what makes its pieces."""

    nanoseconds: float
    cores: int
    make: Callable[[], Made]


def frugal(
    matrices: Sequence[Matrix],
    chains: Sequence[Chain],
    balanced: tuple[Sequence[Matrix], Sequence[Piece]],
    feeds: Feeds,
    cores: int,
    memory: int,
) -> tuple[Sequence[Matrix], Sequence[Piece]]:
    """The matrices as cut and their pieces, on at most `cores` cores; no core has more to do than in `balanced`.

    Nor has any more crossbars than the fullest core there. If that takes too many cores, it is `balanced` as it is.
    """
    limits = CoreLimits(_most(*balanced), memory, cores)
    parts = Counter(piece.matrix for piece in balanced[1])
    found = _cut_again(matrices, chains, limits, parts, cores) or balanced
    joined = join_stages(*found, feeds, limits)
    if joined is None:  # too many parts for the cores
        found = balanced
        joined = join_stages(*found, feeds, limits)
    return found[0], balanced[1] if joined is None else joined


def _cut_again(
    matrices: Sequence[Matrix], chains: Sequence[Chain], limits: CoreLimits, parts: Mapping[int, int], cores: int
) -> tuple[list[Matrix], list[Piece]] | None:
    """The matrices in the ways that cost least, into at most as many parts as `parts` says of each; None if none go."""
    members = {index for chain in chains for index in chain.members}
    choices = [_chain_ways(matrices, chain, limits, parts[chain.middle]) for chain in chains]
    choices += [
        _ways(index, matrix, limits, parts[index]) for index, matrix in enumerate(matrices) if index not in members
    ]
    if not all(choices):
        return None
    taken = cheapest([[(way.nanoseconds, way.cores) for way in found] for found in choices], cores)
    if taken is None:
        taken = [min(range(len(found)), key=lambda way: (found[way].cores, way)) for found in choices]
    cut, pieces, numbers = list(matrices), list[Piece](), count()
    for found, way in zip(choices, taken, strict=True):
        changed, by_core = found[way].make()
        for index, matrix in changed.items():
            cut[index] = matrix
        for held, number in zip(by_core, numbers, strict=False):
            pieces += [replace(piece, core=number) for piece in held]
    return cut, pieces


def _most(matrices: Sequence[Matrix], pieces: Sequence[Piece]) -> Work:
    """Products of the busiest core, crossbars of the fullest one."""
    cores = defaultdict[int, Work](Work)
    for piece in pieces:
        cores[piece.core] += work_of(matrices, [piece])
    works = cores.values()
    return Work(max((work.crossbars for work in works), default=0), max((work.products for work in works), default=0))


def _ways(index: int, matrix: Matrix, limits: CoreLimits, most: int) -> list[_Way]:
    """The ways to cut one matrix into at most so many parts."""
    return [
        _Way(cut.nanoseconds, cut.parts, partial(_pieces, index, cut))
        for cut in ways(matrix, limits.most)
        if cut.parts <= most
    ]


def _pieces(index: int, cut: GridCut) -> Made:
    return {index: cut.matrix}, [[Piece(index, rows, cols)] for cols in cut.cols for rows in cut.rows]


def _chain_ways(matrices: Sequence[Matrix], chain: Chain, limits: CoreLimits, most: int) -> list[_Way]:
    """The numbers of slices, at most so many, into which a chain may be cut."""
    found: list[_Way] = []
    for parts, work in enumerate(islice(largest_slices(matrices, chain), most), start=1):
        if work.within(limits.most):
            cut = sliced(matrices, chain, parts)
            held = slices(cut, chain, parts)
            found.append(_Way(_chain_time(cut, chain, held), parts, partial(_made, cut, held)))
    return found


def _made(matrices: dict[int, Matrix], held: list[list[Piece]]) -> Made:
    return matrices, held


def _chain_time(matrices: dict[int, Matrix], chain: Chain, held: Sequence[Sequence[Piece]]) -> float:
    """Nominal nanoseconds of the longest slice and of what is sent: the first input, and sums of the last product."""
    longest = max(
        sum(part_time(matrices[piece.matrix], [piece.rows], [piece.cols]) for piece in pieces) for pieces in held
    )
    parts, first, nbytes = len(held), matrices[chain.members[0]], 0
    if isinstance(first, FilterMatrix):
        nbytes += WORD * first.channels * first.source_pixels * parts
    if chain.after is not None:
        last = matrices[chain.after]
        assert isinstance(last, FilterMatrix)
        nbytes += WORD * last.filters * last.pixels * (parts - 1)
    return longest + NOMINAL.sent(nbytes, 2 * parts - 1)
