"""What is published beside what was found: how far they are from each other, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from launch.papers.frame.figure import FigureRequest, Numbers, PublishedValue, Row

CLOSE = 0.2  # a share of the published number: what is further away is missed, and explained
AS_IT_IS = "as it is"  # a point at which nothing of the chip is changed


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A published number of `network` and `ours`, at a `point` if ours differ between points.

    `ratio` is ours to the re-run, if there is one, else to the paper, if both are single numbers. It is `met` if it is
    close; `why` tells of one that is not.
    """

    network: str
    point: str
    what: str
    paper: Numbers | None
    rerun: float | None
    ours: Numbers
    ratio: float | None
    met: bool
    why: str
    source: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def compared(request: FigureRequest, rows: Sequence[Row]) -> list[Comparison]:
    """All that is published of a figure and of which there is a row."""
    return [found for entry in request.figure.published for found in _beside(request, entry, rows)]


def met(given: Numbers, ours: Numbers) -> bool:
    """Whether ours is as close as that to what is given: each of its ends, if one of them is a range."""
    low, high = _ends(given)
    return all(low * (1 - CLOSE) <= end <= high * (1 + CLOSE) for end in _ends(ours))


def _beside(request: FigureRequest, entry: PublishedValue, rows: Sequence[Row]) -> Iterator[Comparison]:
    values: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if entry.is_about(row) and row.get(entry.of) is not None:
            points = values.setdefault(row.get("network", ""), {})
            points.setdefault(request.figure.point(row), []).append(row[entry.of])
    given = entry.paper if entry.rerun is None else entry.rerun
    assert given is not None, entry
    for network, points in values.items():
        found = {point: entry.pick(several) for point, several in points.items()}
        if len(set(found.values())) == 1:
            found = {"": next(iter(found.values()))}
        elif "" in found:
            found = {point or AS_IT_IS: ours for point, ours in found.items()}
        for point, ours in found.items():
            is_met = met(given, ours)
            yield Comparison(
                network=network,
                point=point,
                what=entry.what,
                paper=entry.paper,
                rerun=entry.rerun,
                ours=ours,
                ratio=None if isinstance(given, tuple) or isinstance(ours, tuple) else ours / given,
                met=is_met,
                why="" if is_met else entry.why,
                source=entry.source or request.of.source,
            )


def _ends(numbers: Numbers) -> tuple[float, float]:
    return numbers if isinstance(numbers, tuple) else (numbers, numbers)
