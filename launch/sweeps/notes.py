"""Notes on a sweep: keys without effect, remarks of chips, idle cores, programs that are not recompiled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from emu.arch.chip import FIGURES as OF_CHIPS  # tables that say how fast, not what is built
from emu.arch.derived import derived
from emu.errors import EmuError
from emu.timing.chip.needed import figure
from emu.timing.energy.counted import unlike
from launch.images.idle import kind_of_programs
from launch.sweeps.keys import CHIP
from launch.sweeps.metrics import METRICS
from launch.sweeps.points import Point
from launch.sweeps.sweep import Sweep
from launch.sweeps.values import value_text
from launch.sweeps.variations import Variation, changes_text
from launch.sweeps.wording import listed, places_text

_AREA = "area"
_TRIED = 3  # values that are looked at


def notes_of(sweep: Sweep, points: Sequence[Point], shown: Sequence[str]) -> list[str]:
    """The notes, a sentence each; `shown` are the metrics that people see."""
    stay = list(_stay(sweep))
    return [
        *_without_effect(sweep, points, shown),
        *_free_of_area(sweep, points, shown),
        *_remarks(points),
        *_unlike(sweep),
        *(stay or _idle(points)),
    ]


def without_effect(
    variations: Sequence[Variation], points: Sequence[Point], metrics: Sequence[str]
) -> dict[str, list[str]]:
    """The variations whose values give equal figures whatever the others are, with these values, of two or more."""
    timed = [point for point in points if point.timed]
    found: dict[str, list[str]] = {}
    for variation in variations:
        names = [key.name for key in variation.keys]
        shown = names[:1] if variation.equal else names
        values = [":".join(value_text(point.changes[name]) for name in shown) for point in timed]
        others: dict[str, set[tuple[float | None, ...]]] = defaultdict(set)
        for point in timed:
            rest = changes_text({name: value for name, value in point.changes.items() if name not in names})
            others[rest].add(point.values(metrics))
        compared = len(timed) > len(others)
        if compared and all(len(rows) == 1 for rows in others.values()):
            found[variation.name] = list(dict.fromkeys(values))
    return found


def _without_effect(sweep: Sweep, points: Sequence[Point], shown: Sequence[str]) -> Iterator[str]:
    known = [METRICS[name].title for name in shown if any(point.value(name) is not None for point in points)]
    for name, values in without_effect(sweep.space.variations, points, shown).items():
        yield f"{name} changes nothing here: {listed(known)} are the same with {listed(values)}"


def _free_of_area(sweep: Sweep, points: Sequence[Point], shown: Sequence[str]) -> Iterator[str]:
    """Keys of what is built that change other figures, while the area stays: on the front their values cost nothing."""
    if all(point.value(_AREA) is None for point in points):
        return
    built = [
        each
        for each in sweep.space.variations
        if any(key.of == CHIP and key.name.partition(".")[0] not in OF_CHIPS for key in each.keys)
    ]
    known = without_effect(built, points, shown)
    for name, values in without_effect(built, points, (_AREA,)).items():
        if name not in known:
            yield (
                f"the area is the same with {name}={listed(values)}: no area of this chip follows {name}, so what it"
                " takes is not in the table"
            )


def _remarks(points: Sequence[Point]) -> Iterator[str]:
    """Remarks of chips, each once."""
    for remark in dict.fromkeys(remark for point in points for remark in point.remarks):
        where = [point for point in points if remark in point.remarks]
        of_all = (
            len(where) == len(points) or remark.partition(":")[0] in points[0].changes
        )  # a key: values do not matter
        yield remark if of_all else f"with {places_text(where, points)}: {remark}"


def _unlike(sweep: Sweep) -> list[str]:
    """What the figures of some of several chips count, and those of others do not."""
    return unlike(sweep.bases) if len(sweep.bases) > 1 else []


def _stay(sweep: Sweep) -> Iterator[str]:
    """Keys that the compiler uses, where the programs are compiled already."""
    for variation in sweep.space.variations if sweep.kind == "image" else ():
        for key in variation.keys:
            if key.of == CHIP and _takes_others(sweep, variation, key.name):
                yield (
                    f"the programs of {sweep.subject} stay as they are whatever {key.name} is: give the model, which is"
                    " compiled for each chip"
                )


def _takes_others(sweep: Sweep, variation: Variation, key: str) -> bool:
    """Whether chips with other values of a key take other programs."""
    had = figure(sweep.base, key)
    for value in [value for value in variation.values_of(key) if value != had][:_TRIED]:
        try:
            other = derived(sweep.base, {key: value})
        except EmuError:  # not without another key
            continue
        if kind_of_programs(other) != kind_of_programs(sweep.base):
            return True
    return False


def _idle(points: Sequence[Point]) -> Iterator[str]:
    """Sentences about idle cores of chips, each once."""
    found: dict[str, list[Point]] = {}
    for point in points:
        if point.idle is not None:
            found.setdefault(point.idle["sentence"], []).append(point)
    for sentence, where in list(found.items())[:_TRIED]:
        yield sentence if len(found) == 1 else f"with {places_text(where, points)}: {sentence}"
    if len(found) > _TRIED:
        yield f"what {len(found) - _TRIED} more chips or groups of them leave idle is in --json"
