"""How long an axis is after so many tokens, and how much room it gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Length:
    """The size of an axis: `fixed` + `growth` * position, the tokens that the caches hold before the step."""

    fixed: int
    growth: int = 0

    def at(self, position: int) -> int:
        """The size after `position` tokens."""
        return self.fixed + self.growth * position

    @property
    def grows(self) -> bool:
        """Whether the size depends on the position."""
        return self.growth != 0

    def __str__(self) -> str:
        """As errors show it."""
        if not self.grows:
            return str(self.fixed)
        times = f"{self.growth} * position" if self.growth != 1 else "position"
        return f"{times} + {self.fixed}" if self.fixed else times


Lengths = tuple[Length, ...]  # of the axes of a tensor


@dataclass(frozen=True, slots=True)
class CacheRoom:
    """Caches hold `length` tokens, of which a step appends `step`."""

    length: int
    step: int

    @property
    def positions(self) -> range:
        """The tokens that caches may hold before a step."""
        return range(self.length - self.step + 1)

    def of(self, length: Length) -> int | None:
        """What room an axis gets: for one that grows `self.length`, if it is as long as a cache; None if it is not."""
        if not length.grows:
            return length.fixed
        return self.length if length.growth == 1 and 0 <= length.fixed <= self.step else None


def fitted(positions: Sequence[int], sizes: Sequence[int]) -> Length | None:
    """The length that has these `sizes` at these (three or more) `positions`; None if it is not straight."""
    growth, rest = divmod(sizes[0] - sizes[1], positions[0] - positions[1])
    length = Length(sizes[0] - growth * positions[0], growth)
    if rest or any(length.at(position) != size for position, size in zip(positions, sizes, strict=True)):
        return None
    return length


def fitted_shape(positions: Sequence[int], shapes: Sequence[Sequence[int]]) -> Lengths | None:
    """The lengths of all axes; None if one is not straight, or their number differs."""
    if len({len(shape) for shape in shapes}) != 1:
        return None
    lengths = [fitted(positions, sizes) for sizes in zip(*shapes, strict=True)]
    return None if None in lengths else tuple(length for length in lengths if length is not None)
