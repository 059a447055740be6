"""Lists, and points, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from launch.sweeps.points import Point
from launch.sweeps.values import value_text
from launch.sweeps.variations import changes_text

_NAMED = 3  # points that a sentence names


def places_text(some: Sequence[Point], points: Sequence[Point]) -> str:
    """Some of the points: by the value that they and no others have, else the first ones, and how many more."""
    for key in some[0].changes:
        values = {value_text(point.changes[key]) for point in some}
        if len(values) == 1 and sum(value_text(point.changes[key]) in values for point in points) == len(some):
            return f"{key}={values.pop()}"
    names = [changes_text(point.changes) for point in some]
    return "; ".join(names[:_NAMED]) + (f"; and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def listed(names: Collection[str]) -> str:
    """Names as a phrase: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
