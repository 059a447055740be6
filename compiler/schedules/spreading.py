"""How low the row tiles of each product become, so that it takes fewer steps: with the free crossbars of a core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_NEVER = 1 << 60


@dataclass(frozen=True, slots=True)
class Ladder:
    """What a product may take: `crossbars[i]` of them, with which it takes `times[i]` in all, in any unit.

    Crossbars ascend and times descend; the first is what it has.
    """

    crossbars: Sequence[int]
    times: Sequence[int]


def least_time(ladders: Sequence[Ladder], room: int) -> list[int]:
    """The place on each ladder for the least sum of times of products one after another, with `room` more crossbars.

    Dynamic programming over products and crossbars, as for copies of weights.
    """
    room = min(room, sum(ladder.crossbars[-1] - ladder.crossbars[0] for ladder in ladders))
    best = np.zeros(room + 1, np.int64)  # by crossbars that may be used, the least time of the products so far
    chosen = np.zeros((len(ladders), room + 1), np.int64)
    for number, ladder in enumerate(ladders):
        before, best = best, np.full(room + 1, _NEVER)
        for place, (crossbars, time) in enumerate(zip(ladder.crossbars, ladder.times, strict=True)):
            need = crossbars - ladder.crossbars[0]
            if need > room:
                break
            found = before[: room + 1 - need] + time
            better = np.flatnonzero(found < best[need:])
            best[need + better], chosen[number, need + better] = found[better], place
    places, left = list[int](), room
    for number, ladder in reversed(list(enumerate(ladders))):
        place = int(chosen[number, left])
        places.append(place)
        left -= ladder.crossbars[place] - ladder.crossbars[0]
    return places[::-1]
