"""Total orders of messages: what makes every pattern complete under rendezvous, and under every number of credits.

Both ends of the first unfinished message of the order have finished all earlier ones, so both reach it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

Pair = tuple[int, int]  # (sender, receiver)


@dataclass(frozen=True, slots=True)
class MessagePhase:
    """Messages in their order, all of them `repeat` times over.

    `receive_first` breaks the order on purpose: every core receives before it sends.
    """

    pairs: tuple[Pair, ...]
    repeat: int = 1
    receive_first: bool = False


def ordered(pairs: Iterable[Pair], repeat: int = 1) -> MessagePhase:
    """A phase whose messages follow in the order given (messages to oneself are left out)."""
    return MessagePhase(tuple((src, dst) for src, dst in pairs if src != dst), repeat)


def independent(pairs: Sequence[Pair], repeat: int = 1) -> MessagePhase:
    """A phase of messages that need nothing of each other, ordered as matchings, so that many can travel at once.

    Greedy edge colouring: each message joins the first matching in which both its ends are free, so there are at most
    2 d - 1 matchings when no core has more than d messages; those of one pair keep their order.
    """
    busy: dict[int, set[int]] = defaultdict(set)
    placed: list[tuple[int, int, Pair]] = []
    for position, (src, dst) in enumerate(pairs):
        if src == dst:
            continue
        taken = busy[src] | busy[dst]
        colour = next(number for number in count() if number not in taken)
        busy[src].add(colour)
        busy[dst].add(colour)
        placed.append((colour, position, (src, dst)))
    return MessagePhase(tuple(pair for _, _, pair in sorted(placed)), repeat)
