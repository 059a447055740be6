"""The points of a sweep: all combinations of the values, or a choice of them, made by their numbers alone."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emu.errors import InputError, option
from launch.sweeps.variations import Variation

MOST = 10_000  # points of a sweep
GRID, RANDOM = "grid", "random"  # keys of WAYS


@dataclass(frozen=True, slots=True)
class Space:
    """Every combination of the rows of some variations, by number; those of the last change first."""

    variations: tuple[Variation, ...]

    @property
    def size(self) -> int:
        """How many there are: more, maybe, than any list could hold."""
        return math.prod(len(variation.rows) for variation in self.variations)

    def at(self, number: int) -> dict[str, Any]:
        """The values by key of the combination `number`, from 0 on."""
        rows: list[tuple[Any, ...]] = []
        for variation in reversed(self.variations):
            number, place = divmod(number, len(variation.rows))
            rows.append(variation.rows[place])
        together = zip(self.variations, reversed(rows), strict=True)
        return {key.name: value for each, row in together for key, value in zip(each.keys, row, strict=True)}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which points are computed: `points` of them, None: all; `way` is a row of WAYS, `seed` is for random ones."""

    points: int | None = None
    way: str | None = None
    seed: int | None = None

    def numbers(self, size: int) -> Sequence[int]:
        """The numbers of the chosen combinations of so many, ascending; raises InputError for more than MOST."""
        if self.points is None and (self.way or self.seed is not None):
            idle = option("choice", self.way) if self.way else option("choice-seed", self.seed)
            raise InputError(f"{idle} chooses among the points: say how many by {option('points')}")
        if self.seed is not None and self.way != RANDOM:
            needed = option("choice", RANDOM)
            raise InputError(f"{option('choice-seed')} means nothing without {needed}: give that, too")
        count = size if self.points is None else min(self.points, size)
        if count > MOST:
            raise InputError(
                f"{option('vary')}: these values make {count:,} points, more than {MOST:,}: name fewer, or choose some"
                f" by {option('points')}"
            )
        return range(size) if count == size else WAYS[self.way or GRID](size, count, self.seed or 0)

    def sentence(self, size: int) -> str:
        """What is chosen of so many points; empty if all are."""
        if self.points is None or self.points >= size:
            return ""
        how = f"at random (seed {self.seed or 0})" if self.way == RANDOM else "evenly"
        return f"{self.points:,} of {size:,} points, chosen {how}"


def _evenly(size: int, count: int, seed: int) -> list[int]:
    """The first, the last, and others at equal distances."""
    return [number * (size - 1) // max(count - 1, 1) for number in range(count)]


def _at_random(size: int, count: int, seed: int) -> list[int]:
    """Each as likely as any other, none twice."""
    chance, found = random.Random(seed), set[int]()
    if size <= 2 * count:
        return sorted(chance.sample(range(size), count))
    while len(found) < count:  # `sample` takes no range of more than 2^63
        found.add(chance.randrange(size))
    return sorted(found)


WAYS: Mapping[str, Callable[[int, int, int], Sequence[int]]] = {"grid": _evenly, "random": _at_random}
ALL = Choice()
