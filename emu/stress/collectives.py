"""The messages of collective operations; every core's part follows from what it received before."""

from __future__ import annotations

from emu.stress.order import MessagePhase, Pair, independent, ordered


def incast(cores: int) -> list[MessagePhase]:
    """All send to core 0."""
    return [ordered((core, 0) for core in range(cores))]


def broadcast(cores: int) -> list[MessagePhase]:
    """Core 0 to all, along a binomial tree: in step k the 2^k cores that have the data send it on."""
    return [independent(step) for step in _tree(cores)]


def scatter_gather(cores: int) -> list[MessagePhase]:
    """Core 0 sends to each core; then each core answers."""
    return [ordered((0, core) for core in range(cores)), ordered((core, 0) for core in range(cores))]


def allreduce_ring(cores: int) -> list[MessagePhase]:
    """2 (n - 1) steps around the ring: reduce-scatter, then all-gather (Patarasuk and Yuan, 2009)."""
    return [independent([(core, (core + 1) % cores) for core in range(cores)], repeat=max(1, 2 * (cores - 1)))]


def allreduce_tree(cores: int) -> list[MessagePhase]:
    """Up a binomial tree to core 0, then down again."""
    down = _tree(cores)
    up = [[(dst, src) for src, dst in step] for step in reversed(down)]
    return [independent(step) for step in up + down]


def all_to_all(cores: int) -> list[MessagePhase]:
    """n - 1 shifts: in shift k each core sends to the one k further (the pairwise exchange of MPI_Alltoall)."""
    return [independent([(core, (core + shift) % cores) for core in range(cores)]) for shift in range(1, cores)]


def _tree(cores: int) -> list[list[Pair]]:
    """The steps of a binomial tree from core 0."""
    steps: list[list[Pair]] = []
    reached = 1
    while reached < cores:
        steps.append([(core, core + reached) for core in range(min(reached, cores - reached))])
        reached *= 2
    return steps
