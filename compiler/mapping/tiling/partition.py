"""Partition of all weight matrices: a strategy from the table cuts them into pieces for at most so many cores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from compiler.basis.chips import most_chips
from compiler.mapping.tiling.chain import find_chains, spread_chains
from compiler.mapping.tiling.core_work import Feeds
from compiler.mapping.tiling.frugal import frugal
from compiler.mapping.tiling.matrix import Matrix, Piece, capacity, widest
from compiler.mapping.tiling.pack import pack
from compiler.mapping.tiling.spread import spread
from compiler.mapping.work import Grid
from emu.arch import Arch
from emu.errors import CompileError, option
from emu.isa.dtypes import DType
from emu.wording import counted

Strategy = Callable[[Sequence[Grid], int, int], list[Piece]]
STRATEGIES: dict[str, Strategy] = {"frugal": spread, "scatter": spread, "pack": pack}
FRUGAL = "frugal"  # goes on from `spread`: chains stay together, and all is cut again with what is sent in mind
NO_SOURCES: Mapping[int, int] = {}
NO_FEEDS: Feeds = {}


class TooLarge(CompileError):
    """More than so many cores hold; `cores` are needed, at least."""

    def __init__(self, sentence: str, cores: int) -> None:
        super().__init__(sentence)
        self.cores = cores


@dataclass(frozen=True, slots=True)
class Partition:
    """The matrices as they were cut, and their pieces; those of one `core` are meant to share one."""

    matrices: Sequence[Matrix]
    pieces: Sequence[Piece]


def partition(
    matrices: Sequence[Matrix],
    cores: int,
    arch: Arch,
    strategy: str,
    sources: Mapping[int, int] = NO_SOURCES,
    kinds: Collection[DType] = (DType.f32,),
    feeds: Feeds = NO_FEEDS,
) -> Partition:
    """Pieces of all matrices with cores in [0, cores); raises TooLarge, saying what is needed, if none fits.

    `sources` as in `find_chains`, `feeds` as in `join_stages`; `kinds` are the element types of the weights.
    """
    room = capacity(arch, kinds)
    if room < 1:
        kind = widest(arch, kinds)
        raise CompileError(
            f"{arch.title}: a core has {counted(arch.core.crossbars, 'crossbar')}, but one tile of {kind.numpy.name}"
            f" weights takes {arch.cells(kind)}: use more crossbars per core or more bits per cell"
        )
    total = sum(matrix.work.crossbars for matrix in matrices)
    if total > room * cores:  # no strategy fits them in; the tightest one fills each core but the last
        raise _too_large(arch, total * arch.cells(widest(arch, kinds)), -(-total // room), cores)
    chains = find_chains(matrices, sources) if strategy == FRUGAL else []
    chained = spread_chains(matrices, chains, cores, room) if chains else None
    cut, pieces = chained or (matrices, STRATEGIES[strategy](matrices, cores, room))
    if strategy == FRUGAL:
        cut, pieces = frugal(matrices, chains if chained else [], (cut, pieces), feeds, cores, arch.core.local_memory)
    need = max((piece.core for piece in pieces), default=-1) + 1
    if need > cores:
        raise _too_large(arch, total * arch.cells(widest(arch, kinds)), need, cores)
    return Partition(cut, pieces)


def _too_large(arch: Arch, total: int, need: int, cores: int) -> TooLarge:
    """More than the cores hold: what would hold it. Crossbars are those of the chips, bit slices counted."""
    chips = -(-need // arch.cores)
    if need <= arch.all_cores:
        advice = f"use {option('cores', need)} or larger crossbars"
    elif chips <= most_chips(arch):
        advice = f"it would take {counted(chips, 'such chip')}; use {option('chips', chips)}, another {option('arch')}"
    else:
        advice = f"it would take {counted(chips, 'such chip')}; use another {option('arch')}"
    advice += f", or {option('segments')}, which write the weights of each part of the network when its turn comes"
    return TooLarge(
        f"the network needs {counted(total, 'crossbar')}, which take {counted(need, 'core')} of"
        f" {counted(arch.core.crossbars, 'crossbar')} each on {arch.title} (at most {counted(arch.all_cores, 'core')}),"
        f" but {option('cores')} is {cores}: {advice}",
        need,
    )
