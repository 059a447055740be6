"""Budgets of a run, as numbers or as ratios to the report of an earlier run."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from emu.errors import InputError, option, shown
from emu.files import read_text
from emu.wording import nearest
from launch.runs.measures import MEASURES

MAX_BASELINE = 1 << 26  # bytes
_FORM = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)(x?)")
OPTIONS = {measure.option: name for name, measure in MEASURES.items()}  # parameter -> measure


@dataclass(frozen=True, slots=True)
class Bound:
    """An upper bound: `value`, or `value` times the figure of the baseline."""

    value: float
    relative: bool

    def __str__(self) -> str:
        return f"{self.value:g}x" if self.relative else f"{self.value:.0f}"


def parse_bound(name: str, given: object) -> Bound:
    """The bound of the parameter `name`: a whole number, or a ratio such as "1.1x" ("1.1" for times).

    Raises InputError.
    """
    measure = MEASURES[OPTIONS[name]]
    text = str(given)
    match = None if isinstance(given, bool) else _FORM.fullmatch(text)
    if match and (match[2] or measure.ratio_only) and float(match[1]) > 0:
        return Bound(float(match[1]), True)
    if match and not match[2] and match[1].isdecimal():
        return Bound(int(match[1]), False)
    whole = f"a whole number, or a ratio to {option('baseline')} such as 1.1x"
    form = "a ratio such as 1.5" if measure.ratio_only else whole
    raise InputError(f"{option(name)} {shown(given)} is no bound of {measure.words}: give {form}")


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds by measure, and what the earlier run took, by measure, as the file `source` says."""

    bounds: Mapping[str, Bound] = field(default_factory=dict[str, Bound])
    baseline: Mapping[str, float] = field(default_factory=dict[str, float])
    source: Path | None = None

    def exceeded(self, measured: Mapping[str, float]) -> list[str]:
        """One sentence for each bound that `measured` (by measure) exceeds."""
        sentences: list[str] = []
        for name, bound in self.bounds.items():
            most = bound.value * self.baseline[name] if bound.relative else bound.value
            if measured[name] > most:
                sentences.append(self._sentence(name, bound, measured[name], most))
        return sentences

    def _sentence(self, name: str, bound: Bound, value: float, most: float) -> str:
        measure = MEASURES[name]
        allowed = f"{option(measure.option)} {bound.value if measure.ratio_only else bound}"
        if not bound.relative:
            return f"over budget: {value:.0f} {measure.words}, {allowed}"
        before = f"{self.baseline[name]:.{measure.digits}f}"
        return (
            f"over budget: {value:.{measure.digits}f} {measure.words}, {allowed} allows {most:.{measure.digits}f} "
            f"(the baseline took {before})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "bounds": {MEASURES[name].option: str(bound) for name, bound in self.bounds.items()},
            "baseline": dict(self.baseline) or None,
            "file": str(self.source) if self.source else None,
        }


def check_bounds(given: Mapping[str, object], baseline: Path | None) -> dict[str, Bound]:
    """The bounds, by measure, of the parameters `given` (None: unbounded); raises InputError.

    Ratios need a baseline, and a baseline needs ratios.
    """
    bounds = {OPTIONS[key]: parse_bound(key, value) for key, value in given.items() if value is not None}
    relative = next((measure for measure, bound in bounds.items() if bound.relative), "")
    if relative and baseline is None:
        raise InputError(
            f"{option(MEASURES[relative].option)} is a ratio to an earlier run: give its JSON with "
            f"{option('baseline')} FILE.json"
        )
    if baseline is not None and not relative:
        raise InputError(
            f"{option('baseline')} {baseline} bounds nothing: give a ratio, such as {option('max_bytes', '1.1x')}"
        )
    return bounds


def make_budget(given: Mapping[str, object], baseline: Path | None, name: str) -> Budget:
    """The budget of the parameters `given` (None: unbounded) for the run called `name`; raises InputError."""
    bounds = check_bounds(given, baseline)
    relative = [measure for measure, bound in bounds.items() if bound.relative]
    return Budget(bounds, read_baseline(baseline, name, relative) if baseline is not None else {}, baseline)


def read_baseline(path: Path, name: str, wanted: list[str]) -> dict[str, float]:
    """The measures `wanted` of an earlier run: what `--json` has printed of a run, or of a suite with a case `name`.

    Raises InputError that names the file and what it lacks.
    """
    given = option("baseline", str(path))
    try:
        report = json.loads(read_text(path, MAX_BASELINE))
    except InputError as error:
        raise InputError(f"{given}: {error}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{given} is no JSON: {_how()}") from None
    cases = report.get("cases") if isinstance(report, dict) else None
    if isinstance(cases, list):
        by_name = {str(case.get("name")): case for case in cases if isinstance(case, dict)}
        if name not in by_name:
            raise InputError(f"{given} has no case {name!r}{nearest(name, by_name)}: {_how()}")
        report = by_name[name].get("report")
    measures = report.get("measures") if isinstance(report, dict) else None
    if not isinstance(measures, dict):
        raise InputError(f"{given} has no measures of {name!r}: {_how()}")
    return {measure: _number(given, measure, measures.get(measure)) for measure in wanted}


def _number(given: str, measure: str, value: object) -> float:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
    if not usable:
        raise InputError(f"{given}: measures.{measure} is {shown(value)}, no number: {_how()}")
    return float(value)  # type: ignore[arg-type]  # checked above


def _how() -> str:
    return "a baseline is what `emu validate` prints as JSON"
