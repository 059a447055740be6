"""Cores that placement `frugal` shares between layers: by where partial sums stand, and as few as the chip has.

A network's layers differ in work by orders of magnitude. The busiest core sets the pace of all, so layers that follow
each other may share a core that has less to do: then tensors between them need not be sent, and fewer cores are
started. Layers that do not follow each other directly stay apart: a core that waits for others between two of its
layers could not begin the next sample meanwhile; and so do parts of one layer, which run at the same time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from compiler.mapping import tuned
from compiler.mapping.tiling.core_work import (
    CoreLimits,
    CoreWork,
    Feeds,
    depths,
    is_whole,
    numbered,
    part_of,
    piece_order,
    units_of,
)
from compiler.mapping.tiling.matrix import FilterMatrix, Matrix, Piece, WholeMatrix
from compiler.mapping.tiling.siblings import with_siblings


def join_stages(
    matrices: Sequence[Matrix], pieces: Sequence[Piece], feeds: Feeds, limits: CoreLimits
) -> list[Piece] | None:
    """`pieces` on fewer cores, numbered from 0 on; None if they take more than there are.

    No core takes in another layer beyond a part of the bound on its work, its crossbars, or a part of its memory. If
    the cores are too many then, those that send each other most become one, up to the bound.
    """
    units = units_of(matrices, pieces)
    single = {unit.pieces[0] for unit in units if len(unit.pieces) == 1}
    cores = with_siblings(matrices, _followed(matrices, units, feeds, limits), single, feeds, limits)
    if len(cores) > limits.cores:
        cores = merged(matrices, cores, feeds, limits)
        if cores is None:
            return None
    return numbered(cores)


def _followed(
    matrices: Sequence[Matrix], units: Sequence[CoreWork], feeds: Feeds, limits: CoreLimits
) -> list[CoreWork]:
    """Cores that go on with a part of what follows directly, if they have little to do."""
    depth, cores = depths(feeds, len(matrices)), list[CoreWork]()
    stands = _stands([piece for unit in units for piece in unit.pieces])
    for unit in units:
        first = min(piece.matrix for piece in unit.pieces)
        # The first of those just before it: the results of the others arrive while that one is still being made.
        before = min((index for index in feeds.get(first, ()) if depth[index] == depth[first] - 1), default=-1)
        times = _times(feeds.get(first, frozenset()), depth)
        fitting = [
            core
            for core in cores
            if (
                core.last == before
                or (_before(core, unit, before) and tuned.SIDE_LAYER * unit.work.products <= core.work.products)
            )
            and _little(matrices, stands, core, unit, times, limits.most.products)
            and limits.hold(core, unit)
        ]
        if fitting:
            best = max(
                fitting, key=lambda core: (_shared(matrices, stands, core.pieces, unit.pieces), -core.work.products)
            )
            best.take(unit)
        else:
            cores.append(unit)
    return cores


def _times(sources: frozenset[int], depth: Sequence[int]) -> int:
    """How many times as much as a layer its core must have to do, by what feeds the layer.

    What meets a shortcut there is waited for by whoever sends the shortcut, so what follows must not take long; what
    meets others that are made at the same time must take still less.
    """
    deepest = max((depth[source] for source in sources), default=0)
    beside = sum(depth[source] == deepest for source in sources)
    return 0 if len(sources) < 2 else tuned.SHORTCUT_LAYER if beside == 1 else tuned.SMALL_LAYER


def _little(
    matrices: Sequence[Matrix],
    stands: Mapping[Piece, Sequence[int]],
    core: CoreWork,
    unit: CoreWork,
    times: int,
    bound: int,
) -> bool:
    """Whether a core has little enough to do that it may go on with a unit: so many times as much as the unit."""
    whole = all(is_whole(matrices, piece) for piece in unit.pieces)
    whole = whole and _shared(matrices, stands, core.pieces, unit.pieces) > 1 - 1e-9
    share, of = tuned.WHOLE_SHARE if whole and times * unit.work.products <= core.work.products else tuned.WORK_SHARE
    return of * (core.work.products + unit.work.products) <= share * bound


def merged(
    matrices: Sequence[Matrix | WholeMatrix], cores: Sequence[CoreWork], feeds: Feeds, limits: CoreLimits
) -> list[CoreWork] | None:
    """So few cores that there are enough: two that send each other most become one, again and again."""
    left = dict(enumerate(cores))
    sent = sent_between(matrices, cores, feeds)
    while len(left) > limits.cores:
        pairs = (
            (sent.get((one, two), 0), -left[one].work.products - left[two].work.products, -one, -two)
            for one in left
            for two in left
            if one < two
            and left[one].work.products + left[two].work.products <= limits.most.products
            and left[one].work.crossbars + left[two].work.crossbars <= limits.most.crossbars
        )
        best = max(pairs, default=None)
        if best is None:
            return None
        one, two = -best[2], -best[3]
        left[one].take(left.pop(two))
        for pair, size in [(pair, size) for pair, size in sent.items() if two in pair]:
            del sent[pair]
            other = pair[0] if pair[1] == two else pair[1]
            if other != one:
                key = min(one, other), max(one, other)
                sent[key] = sent.get(key, 0) + size
    return list(left.values())


def sent_between(
    matrices: Sequence[Matrix | WholeMatrix], cores: Sequence[CoreWork], feeds: Feeds
) -> dict[tuple[int, int], float]:
    """About how many elements two cores send each other, by their numbers, the lower one first.

    Of several layers of one node, which are bands of it, each sends a part of what the node makes.
    """
    stands = _stands([piece for core in cores for piece in core.pieces])
    makers: dict[int, list[tuple[int, Piece]]] = defaultdict(list)
    for number, core in enumerate(cores):
        for piece in core.pieces:
            makers[piece.matrix].append((number, piece))
    sent: dict[tuple[int, int], float] = defaultdict(float)
    for user, core in enumerate(cores):
        for piece in core.pieces:
            sources = feeds.get(piece.matrix, ())
            bands = Counter(matrices[source].node for source in sources)
            for source in sources:
                size = matrices[piece.matrix].elements / bands[matrices[source].node]
                for maker, made in makers[source]:
                    if maker != user:
                        sent[min(maker, user), max(maker, user)] += size * _shared(matrices, stands, [made], [piece])
    return dict(sent)


def _before(core: CoreWork, unit: CoreWork, before: int) -> bool:
    """Whether a core makes what a unit begins with, and no other part of it."""
    held = {piece.matrix for piece in core.pieces}
    return before in held and held.isdisjoint(piece.matrix for piece in unit.pieces)


def _stands(pieces: Sequence[Piece]) -> dict[Piece, list[int]]:
    """The columns of the whole sum that come to stand where each piece is: partial sums of columns meet in turns."""
    above: dict[tuple[int, tuple[int, int]], list[Piece]] = defaultdict(list)
    for piece in sorted(pieces, key=piece_order):
        above[piece.matrix, piece.cols].append(piece)
    return {
        piece: [column for column in range(*piece.cols) if column % len(parts) == number]
        for parts in above.values()
        for number, piece in enumerate(parts)
    }


def _shared(
    matrices: Sequence[Matrix | WholeMatrix],
    stands: Mapping[Piece, Sequence[int]],
    makers: Sequence[Piece],
    users: Sequence[Piece],
) -> float:
    """How much of what the latest pieces of `makers` make the first ones of `users` multiply, as parts of the channels.

    Rows are ordered by channels; what lies between two layers keeps the order of channels, or does not matter much.
    """
    last, first = max(piece.matrix for piece in makers), min(piece.matrix for piece in users)
    columns, (rows, blocks) = matrices[last].grid[1], matrices[first].grid
    made = [
        (column / columns, (column + 1) / columns)
        for piece in makers
        if piece.matrix == last
        for column in stands[piece]
    ]
    used = [
        part_of(piece.rows, rows) if isinstance(matrices[first], FilterMatrix) else part_of(piece.cols, blocks)
        for piece in users
        if piece.matrix == first
    ]
    return sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in made for b in used)
