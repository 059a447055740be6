"""What one of two compared chips counts and the other one leaves out: a smaller figure is no win because of that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emu.timing.energy.counted import part_name
from emu.timing.energy.energy import static_pj

Values = Mapping[str, Any]
Parts = dict[str, float | None]  # what a figure is made of, by name; None: it counts, and nobody knows how much
SMALLEST = 5e-4  # share of a figure that a sentence still names by itself
ROUNDING = 1e-9  # of sums


@dataclass(frozen=True, slots=True)
class Unlike:
    """A figure of A and B: what `lacking` of them ("a", "b") leave out that the other has, and its `share` of that.

    `ratio` is B over A of what both have; None if the parts are not known. `fair`: the figures may be compared.
    """

    figure: str
    lacking: Mapping[str, Sequence[str]]
    share: Mapping[str, float | None]
    ratio: float | None
    fair: bool


def unlike(figure: str, a: Values, b: Values) -> Unlike | None:
    """How two reports differ in what `figure` (as `time.energy_pj`) counts; None if they do not, or one has none."""
    made_of = _PARTS.get(figure)
    if made_of is None or (value_a := _of(figure, a)) is None or (value_b := _of(figure, b)) is None:
        return None
    sides, whole = {"a": made_of(a["time"]), "b": made_of(b["time"])}, {"a": value_a, "b": value_b}
    lacking = {
        side: [name for name in sides[other] if name not in sides[side]] for side, other in (("a", "b"), ("b", "a"))
    }
    if not any(lacking.values()):
        return None
    extra = {side: _sum(sides[_OTHER[side]], lacking[side]) for side in "ab"}
    share = {side: None if (more := extra[side]) is None else more / (whole[_OTHER[side]] or 1.0) for side in "ab"}
    both = [name for name in sides["a"] if name in sides["b"]]
    common = {side: _sum(sides[side], both) for side in "ab"}
    smaller = "a" if whole["a"] < whole["b"] else "b"
    ratio = common["b"] / common["a"] if common["a"] and common["b"] is not None else None
    stands = ratio is not None and (ratio > 1 + ROUNDING if smaller == "a" else ratio < 1 - ROUNDING)
    return Unlike(figure, lacking, share, ratio, not lacking[smaller] or stands)


def sentences(found: Unlike, title: str, a: Values, b: Values) -> list[str]:
    """One for each side that leaves something out, and what that means for the figure."""
    names = {"a": f"A ({a['time']['arch']})", "b": f"B ({b['time']['arch']})"}
    texts: list[str] = []
    for side in "ab":
        if not (missing := found.lacking[side]):
            continue
        share = found.share[side]
        part = "" if share is None or share < SMALLEST else f", {share:.1%} of it,"
        texts.append(
            f"{title}: {names[_OTHER[side]]} counts {', '.join(missing)}{part} and {names[side]} says nothing of"
            f" {'it' if len(missing) == 1 else 'them'}"
        )
    common = "" if found.ratio is None else f"; of what both count B : A is x{found.ratio:.4g}"
    if texts and (common or not found.fair):
        texts[-1] += common + ("" if found.fair else "; the smaller figure is no win")
    return texts


def _of(figure: str, report: Values) -> float | None:
    value: Any = report
    for key in figure.split("."):
        value = None if value is None else value[key]
    return value


def _sum(parts: Parts, names: Sequence[str]) -> float | None:
    known = [parts[name] for name in names]
    return None if None in known else sum(part or 0.0 for part in known)


def _energies(time: Values) -> Parts:
    """pJ of a sample: of the work of components, and of their static power."""
    return _work(time) | {f"{name} at rest": pj for name, pj in _rest(time).items()}


def _work(time: Values) -> Parts:
    return _by_component(time, lambda part: part["dynamic_pj"] or 0.0)


def _rest(time: Values) -> Parts:
    return _by_component(time, lambda part: part["static_pj"])


def _alone(time: Values) -> Parts:
    """As `_energies`, of the static power over the latency."""
    rest = _by_component(time, lambda part: static_pj(part["static_mw"], time["latency_ps"]))
    return _work(time) | {f"{name} at rest": pj for name, pj in rest.items()}


def _powers(time: Values) -> Parts:
    rest = _by_component(time, lambda part: part["static_mw"])
    work = _by_component(time, lambda part: part["power_mw"] or 0.0)
    return work | {f"{name} at rest": mw for name, mw in rest.items()}


def _by_component(time: Values, amount: Callable[[Values], float]) -> Parts:
    found: dict[str, float] = {}
    for part in time["components"]:
        name = part_name(part["component"])
        if value := amount(part):
            found[name] = found.get(name, 0.0) + value
    return dict(found)


def _peaks(time: Values) -> Parts:
    """Of a peak only what is counted is known, not how much of each it is."""
    return dict.fromkeys(_powers(time))


def _areas(time: Values) -> Parts:
    found: Parts = {}
    for name, mm2 in time["areas"].items():
        place = part_name(name)
        found[place] = (found.get(place) or 0.0) + mm2
    return found


def _times(time: Values) -> Parts:
    """The figures that take time, of all that may."""
    return dict.fromkeys(key for key in time["needed"] if key not in time["missing"])


_OTHER = {"a": "b", "b": "a"}
SAID = {"time.energy_pj", "time.alone_pj", "time.power_mw"}  # by what is told of their parts, work and time
_PARTS: Mapping[str, Callable[[Values], Parts]] = {
    "time.latency_ps": _times,
    "time.period_ps": _times,
    "time.energy_pj": _energies,
    "time.dynamic_pj": _work,
    "time.static_pj": _rest,
    "time.alone_pj": _alone,
    "time.power_mw": _powers,
    "time.peak_power.power_mw": _peaks,
    "time.area_mm2": _areas,
}
