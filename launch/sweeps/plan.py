"""The plan of a sweep: what each point needs made, and in which order, so that nothing is made twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from emu.errors import EmuError
from launch.images.idle import kind_of_programs
from launch.sweeps.data import kind_of_answers
from launch.sweeps.sweep import Configuration, Sweep
from launch.sweeps.variations import Changes
from launch.timing.priced import kind_of_times


@dataclass(frozen=True, slots=True)
class PlannedPoint:
    """A point: its place in the sweep, its values, and the same made out, or why it cannot be.

    `image` is the folder of its programs (empty: that of the subject), `times` the file of what is known of their time,
    `answers` of their answers to data, `ideal` of those on ideal crossbars: points that share them have the same.
    """

    place: int
    changes: Changes
    made: Configuration | None
    refused: str = ""
    image: str = ""
    times: str = ""
    answers: str = ""
    ideal: str = ""


def plan(sweep: Sweep, folder: Path) -> list[PlannedPoint]:
    """The points in their order, with files below `folder`."""
    images, times, answers = (dict[tuple[object, ...], str]() for _ in range(3))
    found: list[PlannedPoint] = []
    for place, changes in enumerate(sweep.points):
        try:
            made = sweep.configured(changes)
        except EmuError as error:
            found.append(PlannedPoint(place, changes, None, str(error)))
            continue
        image = file = answered = ideal = ""
        if sweep.kind == "model":
            kind = kind_of_times(made.arch) if made.scheduled else kind_of_programs(made.arch)
            programs = (kind, made.compiling)
            image = images.setdefault(programs, str(folder / f"image-{len(images)}"))
        if sweep.kind != "chip":
            timed = (image, kind_of_times(made.arch), made.samples, made.flow)
            file = times.setdefault(timed, str(folder / f"times-{len(times)}.json"))
        if sweep.data is not None:
            answered = answers.setdefault((image, kind_of_answers(made.arch)), str(folder / f"answers-{len(answers)}"))
            ideal = f"{image or folder / 'image'}-ideal.npz"
        found.append(PlannedPoint(place, changes, made, "", image, file, answered, ideal))
    return found


def in_turn(points: Sequence[PlannedPoint], jobs: int) -> list[PlannedPoint]:
    """The order in which points are computed, `jobs` at a time: nobody waits long for what another one makes.

    Programs of as many kinds are there at a time. Of those, what is new to compile comes first, then what is new to
    time, then what only has to be priced.
    """
    kinds: dict[str, list[PlannedPoint]] = {}
    for point in points:
        kinds.setdefault(point.image, []).append(point)
    return [point for wave in _parts(list(kinds.values()), jobs) for point in _new_first(wave)]


def _new_first(kinds: Sequence[Sequence[PlannedPoint]]) -> list[PlannedPoint]:
    first, new, rest = list[PlannedPoint](), list[PlannedPoint](), list[PlannedPoint]()
    times = set[str]()
    for same in kinds:
        for place, point in enumerate(same):
            (first if place == 0 else rest if point.times in times else new).append(point)
            times.add(point.times)
    return [*first, *new, *rest]


def _parts(kinds: list[list[PlannedPoint]], size: int) -> Iterator[list[list[PlannedPoint]]]:
    for start in range(0, len(kinds), size):
        yield kinds[start : start + size]
