"""The table of patterns: a new one is one row and its generator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from emu.errors import InputError
from emu.stress import collectives, permutations, random_traffic, stencils
from emu.stress.order import MessagePhase, independent, ordered
from emu.stress.refusal import Unsuitable
from emu.wording import counted, nearest

Generator = Callable[[int], list[MessagePhase]]
RandomGenerator = Callable[[int, np.random.Generator], list[MessagePhase]]

MIN_CORES = 2


@dataclass(frozen=True, slots=True)
class TrafficPattern:
    """One row: who sends to whom in a round. `deadlocks`: it must, and must be found out."""

    name: str
    summary: str
    generate: RandomGenerator
    deadlocks: bool = False


def pingpong(cores: int) -> list[MessagePhase]:
    """Cores 2k and 2k + 1 send to and fro, all pairs at once."""
    forth = [(core, core + 1) for core in range(0, cores - 1, 2)]
    return [ordered(forth), ordered((dst, src) for src, dst in forth)]


def deadlock(cores: int) -> list[MessagePhase]:
    """A good round of the ring, then every core receives before it sends: a cycle of all cores, with any flow."""
    good = independent([(core, (core + 1) % cores) for core in range(cores)])
    return [good, MessagePhase(good.pairs, receive_first=True)]


def _fixed(generate: Generator) -> RandomGenerator:
    return lambda cores, rng: generate(cores)


_bits = permutations.bit_permutation
_rows = (
    ("pingpong", "pairs of cores send to and fro", _fixed(pingpong)),
    ("ring", "core k to k + 1, around", _fixed(permutations.ring)),
    ("uniform", "8 random destinations per core", random_traffic.uniform),
    ("transpose", "(row, column) to (column, row)", _fixed(permutations.transpose)),
    ("bitcomp", "all bits of the core's number inverted", _fixed(_bits(permutations.complement))),
    ("bitrev", "bits in opposite order", _fixed(_bits(permutations.reverse))),
    ("shuffle", "bits rotated by one", _fixed(_bits(permutations.shuffle))),
    ("tornado", "almost half way around each dimension", _fixed(permutations.tornado)),
    ("neighbor", "one step on in each dimension", _fixed(permutations.neighbor)),
    ("hotspot", "as uniform, a quarter of all to core 0", random_traffic.hotspot),
    ("incast", "all to core 0", _fixed(collectives.incast)),
    ("broadcast", "core 0 to all, binomial tree", _fixed(collectives.broadcast)),
    ("scatter-gather", "core 0 to each, each to core 0", _fixed(collectives.scatter_gather)),
    ("allreduce-ring", "2 (n - 1) steps around the ring", _fixed(collectives.allreduce_ring)),
    ("allreduce-tree", "up and down a binomial tree", _fixed(collectives.allreduce_tree)),
    ("all-to-all", "every core to every other, n - 1 shifts", _fixed(collectives.all_to_all)),
    ("halo2d", "each core with its four neighbours", _fixed(stencils.halo2d)),
    ("sweep2d", "a wavefront over the grid and back", _fixed(stencils.sweep2d)),
    ("random-dag", "a random acyclic graph, 3 edges per core", random_traffic.random_dag),
)
PATTERNS: dict[str, TrafficPattern] = {
    name: TrafficPattern(name, summary, generate) for name, summary, generate in _rows
} | {
    "deadlock": TrafficPattern("deadlock", "a cycle of all cores: must be found out", _fixed(deadlock), deadlocks=True)
}


def phases_of(name: str, cores: int, seed: int = 0) -> tuple[MessagePhase, ...]:
    """One round of pattern `name` on `cores` cores; raises InputError if there is no such thing."""
    if name not in PATTERNS:
        raise InputError(f"pattern {name!r} is unknown: use one of {', '.join(PATTERNS)}{nearest(name, PATTERNS)}")
    if cores < MIN_CORES:
        raise Unsuitable(f"pattern {name} needs at least {MIN_CORES} cores, not {cores}")
    try:
        phases = PATTERNS[name].generate(cores, np.random.default_rng(seed))
    except Unsuitable as refusal:
        raise Unsuitable(f"pattern {name} {refusal}, not {cores}") from None
    kept = tuple(phase for phase in phases if phase.pairs)
    if not kept:
        raise Unsuitable(f"pattern {name} sends nothing on {counted(cores, 'core')}: use more")
    return kept
