"""How many cores each layer gets, and which layers share one: of several ways the best by what each comes to.

Beside the matrices that are cut, some layers stay whole on one core each, such as recurrent ones. The more cores are
left to them, the fewer parts the matrices are cut into; where more than the cores are wanted, some share one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from compiler.mapping.cost import LayerTime
from compiler.mapping.forecast import Forecast, best, forecast
from compiler.mapping.solver import least_loaded
from compiler.mapping.tiling.core_work import CoreLimits, CoreWork, Feeds, columns_of
from compiler.mapping.tiling.matrix import Matrix, Piece, WholeMatrix
from compiler.mapping.tiling.pack import fill_up
from compiler.mapping.tiling.partition import Partition
from compiler.mapping.tiling.shared_cores import merged, sent_between
from compiler.mapping.tiling.spread import work_of
from compiler.mapping.work import WORD, Work
from emu.errors import CompileError

Cut = Callable[[int], Partition]  # of all matrices that are cut, for so many cores; may raise CompileError


@dataclass(frozen=True, slots=True)
class Layers:
    """All layers with weights, by numbers: those whose matrices are cut, behind them those that stay whole.

    `order` are their numbers in the order of the data, `feeds` the numbers of those whose results each one needs;
    `times` is what parts of each take.
    """

    matrices: Sequence[Matrix]
    wholes: Sequence[WholeMatrix]
    order: Sequence[int]
    feeds: Feeds
    times: Sequence[LayerTime]


@dataclass(frozen=True, slots=True)
class Allotment:
    """The matrices as they were cut, and the pieces of all layers; those of one `core` share one. What it comes to."""

    matrices: Sequence[Matrix]
    pieces: Sequence[Piece]
    forecast: Forecast


def allot(cut: Cut, layers: Layers, cores: int, room: int) -> Allotment | None:
    """The pieces of all layers on at most `cores` cores of `room` logical crossbars; raises CompileError of `cut`.

    None if the layers that stay whole find no room by any way.
    """
    if any(whole.work.crossbars > room for whole in layers.wholes):
        return None
    found = list(_ways(cut, layers, cores, room)) or list(_filled(layers, cores, room))
    return found[best([way.forecast for way in found])] if found else None


def _ways(cut: Cut, layers: Layers, cores: int, room: int) -> Iterator[Allotment]:
    """The matrices cut for all cores, and for fewer, until none need share one.

    Where some do, they are chosen by their work, and by what they send each other.
    """
    for left in range(cores, max(1, cores - len(layers.wholes)) - 1, -1):
        try:
            cutting = cut(left)
        except CompileError:
            if left == cores:
                raise
            return  # they take more cores
        grids = [*cutting.matrices, *layers.wholes]
        units = _core_works(grids, cutting, layers)
        if len(units) <= cores:
            yield _made(cutting.matrices, _numbered(units), layers)
            return
        balanced = _balanced(units, cores, room)
        most = Work(room, sum(unit.work.products for unit in units))
        if balanced is not None:
            yield _made(cutting.matrices, balanced, layers)
            most = Work(room, max(work_of(grids, held).products for held in _by_core(balanced).values()))
        joined = merged(grids, units, layers.feeds, CoreLimits(most, 0, cores))
        if joined is not None:
            yield _made(cutting.matrices, _numbered(joined), layers)


def _numbered(units: Sequence[CoreWork]) -> list[Piece]:
    """The pieces of each on a core of its own."""
    return [replace(piece, core=core) for core, unit in enumerate(units) for piece in unit.pieces]


def _core_works(grids: Sequence[Matrix | WholeMatrix], cutting: Partition, layers: Layers) -> list[CoreWork]:
    """What is meant for a core of its own: the pieces of one number, and each layer that stays whole; in order."""
    place = {number: at for at, number in enumerate(layers.order)}
    units = list(_by_core(cutting.pieces).values())
    for number, whole in enumerate(layers.wholes, len(cutting.matrices)):
        units.append([Piece(number, (0, whole.grid[0]), (0, whole.grid[1]))])
    units.sort(key=lambda pieces: min(place[piece.matrix] for piece in pieces))
    return [CoreWork(pieces, work_of(grids, pieces), max(piece.matrix for piece in pieces)) for pieces in units]


def _by_core(pieces: Sequence[Piece]) -> dict[int, list[Piece]]:
    found = defaultdict[int, list[Piece]](list)
    for piece in pieces:
        found[piece.core].append(piece)
    return found


def _balanced(units: Sequence[CoreWork], cores: int, room: int) -> list[Piece] | None:
    """Those with the most crossbars first, each on the core with the least work that has room."""
    ordered = sorted(units, key=lambda unit: (-unit.work.crossbars, -unit.work.products))
    numbers = least_loaded((unit.work for unit in ordered), [room] * cores)
    placed = [(core, piece) for unit, core in zip(ordered, numbers, strict=True) for piece in unit.pieces]
    return None if any(core is None for core, _ in placed) else [replace(piece, core=core) for core, piece in placed]


def _filled(layers: Layers, cores: int, room: int) -> Iterator[Allotment]:
    """The layers that stay whole on as few cores as they take, the largest first; the matrices tile by tile beside."""
    left, pieces = [room] * cores, list[Piece]()
    for number, whole in sorted(enumerate(layers.wholes), key=lambda item: (-item[1].work.crossbars, item[0])):
        core = next((core for core, free in enumerate(left) if free >= whole.work.crossbars), None)
        if core is None:
            return
        left[core] -= whole.work.crossbars
        pieces.append(Piece(len(layers.matrices) + number, (0, whole.grid[0]), (0, whole.grid[1]), core))
    tiles = fill_up(layers.matrices, left)
    if tiles is not None:
        yield _made(layers.matrices, [*tiles, *pieces], layers)


def _made(matrices: Sequence[Matrix], pieces: Sequence[Piece], layers: Layers) -> Allotment:
    grids: Sequence[Matrix | WholeMatrix] = [*matrices, *layers.wholes]
    at = {number: place for place, number in enumerate(layers.order)}
    shares = defaultdict[int, list[tuple[int, float]]](list)
    for piece in pieces:
        rows, columns = piece.rows[1] - piece.rows[0], piece.cols[1] - piece.cols[0]
        shares[piece.matrix].append((piece.core, layers.times[piece.matrix].nanoseconds(rows, columns)))
    needs = ([at[source] for source in layers.feeds.get(number, ())] for number in layers.order)
    found = forecast(
        zip(needs, (shares[number] for number in layers.order), strict=True), WORD * _elements(grids, pieces, layers)
    )
    return Allotment(matrices, sorted(pieces, key=lambda piece: piece.matrix), found)


def _elements(grids: Sequence[Matrix | WholeMatrix], pieces: Sequence[Piece], layers: Layers) -> float:
    """About how many elements cores send each other, partial sums with them."""
    held = {core: CoreWork(found, Work(), 0) for core, found in sorted(_by_core(pieces).items())}
    sent = sum(sent_between(grids, list(held.values()), layers.feeds).values())
    parts = defaultdict[tuple[int, tuple[int, int]], set[int]](set)
    sums = 0
    for piece in pieces:
        cores = parts[piece.matrix, piece.cols]
        matrix = grids[piece.matrix]
        if cores and piece.core not in cores and not isinstance(matrix, WholeMatrix):
            sums += matrix.pixels * columns_of(matrix, piece)
        cores.add(piece.core)
    return sent + sums
