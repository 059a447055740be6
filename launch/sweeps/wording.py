"""Lists, and points, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from launch.sweeps.points import Point
from launch.sweeps.values import value_text
from launch.sweeps.variations import changes_text

_NAMED = 3  # points that a sentence names


def places_text(some: Sequence[Point], points: Sequence[Point]) -> str:
    """Some of the points: by the values that they and no others have, else the first ones, and how many more."""
    texts = [{key: value_text(value) for key, value in point.changes.items()} for point in points]
    shared = {key: value_text(value) for key, value in some[0].changes.items()}
    for point in some[1:]:
        shared = {key: text for key, text in shared.items() if value_text(point.changes[key]) == text}

    def alone(values: Mapping[str, str]) -> bool:
        return sum(values.items() <= text.items() for text in texts) == len(some)

    if alone(shared):
        for key in reversed(list(shared)):
            fewer = {name: text for name, text in shared.items() if name != key}
            shared = fewer if alone(fewer) else shared
        if shared:
            return ", ".join(f"{key}={text}" for key, text in shared.items())
    for key in texts[0]:
        values = dict.fromkeys(value_text(point.changes[key]) for point in some)
        if sum(text[key] in values for text in texts) == len(some) < len(points):
            return f"{key}={listed(values)}"
    names = [changes_text(point.changes) for point in some]
    return "; ".join(names[:_NAMED]) + (f"; and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def listed(names: Collection[str]) -> str:
    """Names as a phrase: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
