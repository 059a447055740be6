"""Notes on a sweep: keys without effect, idle cores, programs that are not recompiled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from emu.arch.chip import FIGURES as OF_CHIPS  # tables that say how fast, not what is built
from emu.arch.derived import derived
from emu.errors import EmuError
from emu.timing.chip.needed import figure
from launch.images.idle import kind_of_programs
from launch.sweeps.points import FIGURES, Point
from launch.sweeps.sweep import Sweep
from launch.sweeps.variations import changes_text, value_text

_AREA = "area_mm2"
NAMED = 3  # points that a sentence names
_TITLES = dict(zip(FIGURES, ("latency", "time per sample", "energy", "power", "area"), strict=True))


def notes_of(sweep: Sweep, points: Sequence[Point]) -> list[str]:
    """The notes, a sentence each."""
    stay = list(_stay(sweep))
    return [*_without_effect(points), *_free_of_area(points), *(stay or _idle(points))]


def few(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    return "; ".join(names[:NAMED]) + (f"; and {len(names) - NAMED} more" if len(names) > NAMED else "")


def without_effect(points: Sequence[Point], figures: Sequence[str] = FIGURES) -> dict[str, list[str]]:
    """The keys whose values give equal figures whatever the others are, with these values; each has two or more."""
    timed = [point for point in points if point.timed]
    found: dict[str, list[str]] = {}
    for key in points[0].changes:
        values = list(dict.fromkeys(value_text(point.changes[key]) for point in timed))
        others: dict[str, set[tuple[float | None, ...]]] = defaultdict(set)
        for point in timed:
            others[changes_text({name: v for name, v in point.changes.items() if name != key})].add(
                tuple(point.figures.get(name) for name in figures)
            )
        compared = len(timed) > len(others)
        if compared and all(len(shown) == 1 for shown in others.values()):
            found[key] = values
    return found


def _without_effect(points: Sequence[Point]) -> Iterator[str]:
    known = [_TITLES[name] for name in FIGURES if any(point.figures.get(name) is not None for point in points)]
    for key, values in without_effect(points).items():
        yield (
            f"{key} changes nothing here: no figure of this chip follows it, {_listed(known)} are the same with"
            f" {_listed(values)}"
        )


def _free_of_area(points: Sequence[Point]) -> Iterator[str]:
    """Keys of what is built that change other figures, while the area stays: on the front their values cost nothing."""
    if all(point.figures.get(_AREA) is None for point in points):
        return
    known = without_effect(points)
    for key, values in without_effect(points, (_AREA,)).items():
        if key not in known and key.partition(".")[0] not in OF_CHIPS:
            yield (
                f"the area is the same with {key}={_listed(values)}: no area of this chip follows {key}, so what it "
                "takes is not in the table"
            )


def _stay(sweep: Sweep) -> Iterator[str]:
    """Keys that the compiler uses, where the programs are compiled already."""
    for key in sweep.combinations[0] if not sweep.is_model else ():
        had = figure(sweep.base, key)
        others = {value_text(each[key]): each[key] for each in sweep.combinations if each[key] != had}
        for value in others.values():
            try:
                other = derived(sweep.base, {key: value})
            except EmuError:  # not without another key
                continue
            if kind_of_programs(other) != kind_of_programs(sweep.base):
                yield (
                    f"the programs of {sweep.subject} stay as they are whatever {key} is: give the model, which is"
                    " compiled for each chip"
                )
                break


def _idle(points: Sequence[Point]) -> Iterator[str]:
    """Sentences about idle cores of chips, each once."""
    found: dict[str, list[str]] = {}
    for point in points:
        if point.idle is not None:
            found.setdefault(point.idle["sentence"], []).append(changes_text(point.changes))
    for sentence, where in list(found.items())[:NAMED]:
        yield sentence if len(found) == 1 else f"with {few(where)}: {sentence}"
    if len(found) > NAMED:
        yield f"what {len(found) - NAMED} more chips or groups of them leave idle is in --json"


def _listed(names: Sequence[str]) -> str:
    """Names as a phrase: a, b and c."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
