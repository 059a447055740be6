"""Random traffic, drawn once from the seed and repeated every round."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import numpy as np

from emu.stress.order import MessagePhase, Pair, independent, ordered

MESSAGES = 8  # that each core sends per round
MAX_PEERS = 32  # of a core, sending and receiving together
HOT_SHARE = 0.25  # of the messages of `hotspot` that go to core 0
OUT_DEGREE = 3  # of a node of `random-dag`
TRIES = 64  # draws until a message is given up: all whom its sender may still meet are rare by then


def uniform(cores: int, rng: np.random.Generator) -> list[MessagePhase]:
    """Each core sends to `MESSAGES` cores drawn uniformly; nobody has more than `MAX_PEERS` peers."""
    return [_drawn(cores, lambda: int(rng.integers(cores)), ())]


def hotspot(cores: int, rng: np.random.Generator) -> list[MessagePhase]:
    """Like `uniform`, but each message goes to core 0 with probability `HOT_SHARE` (Pfister and Norton, 1985)."""
    return [_drawn(cores, lambda: 0 if rng.random() < HOT_SHARE else int(rng.integers(cores)), (0,))]


def random_dag(cores: int, rng: np.random.Generator) -> list[MessagePhase]:
    """A random acyclic graph: `OUT_DEGREE` edges per core to later ones; a core sends once it has received all."""
    order = rng.permutation(cores).tolist()
    pairs: list[Pair] = []
    for place, src in enumerate(order[:-1]):
        later = order[place + 1 :]
        chosen = rng.choice(len(later), min(OUT_DEGREE, len(later)), replace=False).tolist()
        pairs += [(src, later[k]) for k in chosen]
    return [ordered(pairs)]


@dataclass
class _Peers:
    """Who meets whom; `unlimited` cores may have any number of peers."""

    unlimited: Collection[int]
    met: dict[int, set[int]] = field(default_factory=dict)

    def accept(self, src: int, dst: int) -> bool:
        if src == dst or not (self._room(src, dst) and self._room(dst, src)):
            return False
        self.met.setdefault(src, set()).add(dst)
        self.met.setdefault(dst, set()).add(src)
        return True

    def _room(self, core: int, peer: int) -> bool:
        known = self.met.get(core, set())
        return core in self.unlimited or peer in known or len(known) < MAX_PEERS


def _drawn(cores: int, draw: Callable[[], int], unlimited: Collection[int]) -> MessagePhase:
    peers = _Peers(unlimited)
    pairs: list[Pair] = []
    for _ in range(MESSAGES if cores > 1 else 0):
        for src in range(cores):
            accepted = (dst for dst in (draw() for _ in range(TRIES)) if peers.accept(src, dst))
            pairs += [(src, dst) for dst in [next(accepted, -1)] if dst >= 0]
    return independent(pairs)
