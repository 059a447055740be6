"""What some of the compared points have a price for, and others have not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from launch.sweeps.points import Point
from launch.sweeps.wording import listed, places_text


def priced_unlike(points: Sequence[Point]) -> Iterator[str]:
    """Actions that have a price on some of the chips only."""
    timed = [point for point in points if point.timed and point.value("energy") is not None]
    groups: dict[tuple[int, ...], list[str]] = {}  # actions by the points that have no price for them
    for name in sorted({name for point in timed for name in point.left_out}):
        without = tuple(place for place, point in enumerate(timed) if name in point.left_out)
        if len(without) < len(timed):
            groups.setdefault(without, []).append(name)
    for without, names in groups.items():
        yield (
            f"with {places_text([timed[place] for place in without], timed)}: {listed(names)}"
            f" {'has' if len(names) == 1 else 'have'} no price, so that the energy is too low beside that of the others"
        )
