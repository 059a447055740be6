"""Rows of figures about schedules: each case beside the first schedule at its point, and the one before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from launch.papers.frame.comparing import AS_IT_IS
from launch.papers.frame.figure import MeasuredValue, Row
from launch.papers.schedules.case import FigurePoint, PointOutcome
from launch.text.columns import Column

# What is told of host programs alone.
OFFLOADED = ("call_sites", "writes", "steps", "share", "use", "lifetime_years", "size", "executed", "differ")
MS, MJ, UJ = 1e9, 1e9, 1e6  # ps of a millisecond, pJ of a millijoule and of a microjoule


def case_of(found: MeasuredValue) -> FigurePoint:
    """The case that was measured."""
    return FigurePoint(**{name: value for name, value in found.of.given.items() if name != "options"})


def rows(found: Sequence[MeasuredValue]) -> list[Row]:
    """A row of each case, whose schedules of a point follow each other; what is not known is None."""
    made: list[Row] = []
    point: FigurePoint | None = None
    reference: PointOutcome | None = None
    before: PointOutcome | None = None
    for each in found:
        case = case_of(each)
        known = None if each.reason else PointOutcome(**each.values)
        here = replace(case, schedule="")
        if here != point:
            point, reference, before = here, known, None
        made.append(_row(case, each, known, reference, before))
        before = known
    return made


def _row(
    case: FigurePoint,
    found: MeasuredValue,
    known: PointOutcome | None,
    reference: PointOutcome | None,
    before: PointOutcome | None,
) -> Row:
    outcome, first, last = (
        known or PointOutcome(),
        (reference if known else None) or PointOutcome(),
        before or PointOutcome(),
    )
    return {
        "network": case.network,
        "types": case.types,
        "chip": case.chip,
        "changes": dict(case.changes),
        "point": case.point,
        "cores_given": case.cores,
        "schedule": case.schedule,
        "cores": outcome.cores if known else None,
        "crossbars": outcome.crossbars if known else None,
        "latency_ps": outcome.latency_ps if known else None,
        "period_ps": outcome.period_ps or None,
        "samples_per_s": outcome.samples_per_s,
        "latency_ratio": _ratio(first.latency_ps, outcome.latency_ps),
        "period_ratio": _ratio(first.period_ps, outcome.period_ps),
        "overlap_ratio": _ratio(first.latency_ps, outcome.period_ps),
        "latency_ratio_before": _ratio(last.latency_ps, outcome.latency_ps),
        "period_ratio_before": _ratio(last.period_ps, outcome.period_ps),
        "energy_pj": outcome.energy_pj,
        "energy_uj": None if outcome.energy_pj is None else outcome.energy_pj / UJ,
        **{name: getattr(outcome, name) for name in OFFLOADED},
        "writes_ratio": _ratio(first.writes, outcome.writes),
        "peak_mw": outcome.peak_mw,
        "peak_crossbars": outcome.peak_crossbars,
        "peak_saved": _peak_saved(first, outcome),
        "no_peak": outcome.no_peak or None,
        "steady": outcome.steady if known else None,
        "seconds": found.seconds,
        "reason": found.reason or None,
    }


def _peak_saved(first: PointOutcome, outcome: PointOutcome) -> float | None:
    """The share of the reference's peak power that is saved, or of its crossbars at work if power is not known."""
    had, has = first.peak_mw, outcome.peak_mw
    if had is None or has is None:
        had, has = first.peak_crossbars, outcome.peak_crossbars
    return 1 - has / had if had and has is not None else None


def _ratio(above: int | None, below: int | None) -> float | None:
    return above / below if above and below else None


# What published numbers are compared with: how it is called, and the field of the row.
MEASURES = {
    "latency gain": "latency_ratio",
    "overlap gain": "overlap_ratio",
    "pace gain over the schedule before": "period_ratio_before",
    "latency gain over the schedule before": "latency_ratio_before",
    "peak saved": "peak_saved",
    "samples per second": "samples_per_s",
    "call sites": "call_sites",
    "fewer writes": "writes_ratio",
    "share offloaded": "share",
    "use of tiles": "use",
    "years": "lifetime_years",
    "uJ per sample": "energy_uj",
}

COLUMNS = (
    Column("cores", "cores", str),
    Column("crossbars", "crossbars", "{:,}".format),
    Column("latency_ps", "latency ms", lambda ps: f"{ps / MS:.4g}"),
    Column("period_ps", "per sample ms", lambda ps: f"{ps / MS:.4g}"),
    Column("latency_ratio", "latency gain", "{:.2f}x".format),
    Column("period_ratio", "pace gain", "{:.2f}x".format),
    Column("overlap_ratio", "overlap gain", "{:.2f}x".format),
    Column("samples_per_s", "samples per s", "{:.4g}".format),
    Column("call_sites", "sites", str),
    Column("writes", "writes", "{:,}".format),
    Column("steps", "steps", str),
    Column("share", "share", "{:.1%}".format),
    Column("use", "use", "{:.2%}".format),
    Column("lifetime_years", "years", "{:.3g}".format),
    Column("size", "size", str),
    Column("executed", "executed", str),
    Column("differ", "differ", str),
    Column("energy_pj", "energy mJ", lambda pj: f"{pj / MJ:.4g}"),
    Column("peak_mw", "peak mW", "{:.4g}".format),
    Column("peak_crossbars", "at work", "{:,}".format),
)
_GAINS, _RATES = ("latency_ratio", "period_ratio", "overlap_ratio"), ("samples_per_s",)
_NETWORK, _SCHEDULE = Column("network", "network"), Column("schedule", "schedule")
_POINT = Column("point", "chip with", unknown=AS_IT_IS)


def shown(listed: Sequence[Row]) -> list[Column]:
    """The columns that a table of these rows may have.

    A single schedule would be its own reference; of several the gains tell what rates tell.
    """
    idle = _RATES if len({row["schedule"] for row in listed}) > 1 else _GAINS
    has = [each for each in COLUMNS if each.key not in idle]
    return [_NETWORK, *([_POINT] if any(row["point"] for row in listed) else []), _SCHEDULE, *has]


# Sentences about a row: when there is one, and what it says.
_NOTES: tuple[Callable[[Row], Any], ...] = (
    lambda row: row["reason"],
    lambda row: row["no_peak"],
    lambda row: row["differ"] and f"{row['differ']} elements differ",
    lambda row: row["steady"] is False and "not yet in its steady state",
)


def notes(listed: Sequence[Row]) -> Iterable[str]:
    """Why rows have no figures, and what is not steady."""
    for note in _NOTES:
        for row in listed:
            if said := note(row):
                yield f"{', '.join(filter(None, (row['network'], row['point'], row['schedule'])))}: {said}"
