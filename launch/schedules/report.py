"""A figure's rows as tables for people, as CSV, and as plain values for --json."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from launch.schedules.experiments import EXPERIMENTS, Row
from launch.schedules.published import AS_IT_IS, Comparison, compared
from launch.text.answer import Table
from launch.text.csv_text import csv_text

NONE = "-"
# What is told of host programs alone.
OFFLOADED = ("call_sites", "writes", "steps", "share", "use", "lifetime_years", "size", "executed", "differ")
MS, MJ = 1e9, 1e9  # ps of a millisecond, pJ of a millijoule


def row_values(row: Row) -> dict[str, Any]:
    """A row as plain values; what is not known is null."""
    case, outcome = row.case, row.outcome
    known = not outcome.reason
    reference = row.reference if known else None
    return {
        "network": case.network,
        "types": case.types,
        "chip": case.chip,
        "changes": dict(case.changes),
        "cores_given": case.cores,
        "schedule": case.schedule,
        "cores": outcome.cores if known else None,
        "crossbars": outcome.crossbars if known else None,
        "latency_ps": outcome.latency_ps if known else None,
        "period_ps": outcome.period_ps or None,
        "samples_per_s": outcome.samples_per_s,
        "latency_ratio": _ratio(reference and reference.latency_ps, outcome.latency_ps),
        "period_ratio": _ratio(reference and reference.period_ps, outcome.period_ps),
        "overlap_ratio": _ratio(reference and reference.latency_ps, outcome.period_ps),
        "energy_pj": outcome.energy_pj,
        **{name: getattr(outcome, name) for name in OFFLOADED},
        "peak_mw": outcome.peak_mw,
        "peak_crossbars": outcome.peak_crossbars,
        "no_peak": outcome.no_peak or None,
        "steady": outcome.steady if known else None,
        "seconds": outcome.seconds,
        "reason": outcome.reason or None,
    }


def values(name: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Plain values."""
    return {
        "figure": name,
        "title": EXPERIMENTS[name].title,
        "rows": [row_values(row) for row in rows],
        "published": [entry.to_dict() for entry in compared(name, rows)],
        "seconds": sum(row.outcome.seconds for row in rows),
    }


def rows_csv(rows: Sequence[Row]) -> str:
    """A row per case."""
    listed = [row_values(row) | {"changes": row.case.point} for row in rows]
    return csv_text(list(listed[0]), (row.values() for row in listed))


# Columns of the table: title, key of `row_values`, how its value is written; those without any value are left out.
COLUMNS: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("cores", "cores", "{}".format),
    ("crossbars", "crossbars", "{:,}".format),
    ("latency ms", "latency_ps", lambda ps: f"{ps / MS:.4g}"),
    ("per sample ms", "period_ps", lambda ps: f"{ps / MS:.4g}"),
    ("latency gain", "latency_ratio", "{:.2f}x".format),
    ("pace gain", "period_ratio", "{:.2f}x".format),
    ("overlap gain", "overlap_ratio", "{:.2f}x".format),
    ("samples per s", "samples_per_s", "{:.4g}".format),
    ("sites", "call_sites", "{}".format),
    ("writes", "writes", "{:,}".format),
    ("steps", "steps", "{}".format),
    ("share", "share", "{:.1%}".format),
    ("use", "use", "{:.2%}".format),
    ("years", "lifetime_years", "{:.3g}".format),
    ("size", "size", "{}".format),
    ("executed", "executed", "{}".format),
    ("differ", "differ", "{}".format),
    ("energy mJ", "energy_pj", lambda pj: f"{pj / MJ:.4g}"),
    ("peak mW", "peak_mw", "{:.4g}".format),
    ("at work", "peak_crossbars", "{:,}".format),
)

GAINS, RATES = ("latency_ratio", "period_ratio", "overlap_ratio"), ("samples_per_s",)


def tables(name: str, rows: Sequence[Row]) -> list[Table]:
    """The rows, and the published figures beside ours."""
    listed = [row_values(row) for row in rows]
    with_points = any(row.case.point for row in rows)
    # A single schedule would be its own reference; of several the gains tell what rates tell.
    idle = RATES if len({row.case.schedule for row in rows}) > 1 else GAINS
    columns = [
        column for column in COLUMNS if column[1] not in idle and any(entry[column[1]] is not None for entry in listed)
    ]
    head = ("network", *(["chip with"] if with_points else []), "schedule")
    cells = [
        (
            row.case.network,
            *([row.case.point or AS_IT_IS] if with_points else []),
            row.case.schedule,
            *(NONE if entry[key] is None else written(entry[key]) for _, key, written in columns),
        )
        for row, entry in zip(rows, listed, strict=True)
    ]
    titles = (*head, *(title for title, _, _ in columns))
    found = [Table("", titles, cells, "l" * len(head) + "r" * len(columns))]
    if beside := compared(name, rows):
        pointed = any(entry.point for entry in beside)
        titles = ("network", *(["chip with"] if pointed else []), "figure", "paper", "re-run", "ours", "ratio")
        cells = [_comparison(entry, pointed) for entry in beside]
        found.append(Table("beside the published figures", titles, cells, "l" * (len(titles) - 4) + "rrrr"))
    return found


def sentences(name: str, rows: Sequence[Row]) -> list[str]:
    """Why rows have no figures, what is not steady, why differences are large, and whose figures these are."""
    beside = compared(name, rows)
    why: Mapping[str, list[str]] = {text: [] for text in dict.fromkeys(entry.why for entry in beside if entry.why)}
    for entry in beside:
        if entry.why:
            at = f" with {entry.point}" if entry.point else ""
            why[entry.why].append(f"{entry.network} {entry.what}{at} {entry.ratio:.2f}")
    return [
        *(f"{_title(row)}: {row.outcome.reason}" for row in rows if row.outcome.reason),
        *(f"{_title(row)}: {row.outcome.no_peak}" for row in rows if row.outcome.no_peak),
        *(f"{_title(row)}: {row.outcome.differ} elements differ" for row in rows if row.outcome.differ),
        *(f"{_title(row)}: not yet in its steady state" for row in rows if not row.outcome.steady),
        *(f"ratios beyond 20 % ({'; '.join(of)}): {text}" for text, of in why.items()),
        *(f"source: {source}" for source in dict.fromkeys(entry.source for entry in beside)),
    ]


def _title(row: Row) -> str:
    return ", ".join(part for part in (row.case.network, row.case.point, row.case.schedule) if part)


def _comparison(entry: Comparison, pointed: bool) -> tuple[str, ...]:
    given = (NONE if value is None else _short(value) for value in (entry.paper, entry.rerun))
    point = [entry.point or "any"] if pointed else []
    return (entry.network, *point, entry.what, *given, _short(entry.ours), f"{entry.ratio:.2f}")


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _ratio(above: int | None, below: int) -> float | None:
    return above / below if above and below else None
