"""What a run on cells, wires and converters has found, from its file: of what is not as it should be, nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from launch.report.sources.given_run import GivenRun

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 32  # characters of a histogram
COUNTS = (
    *("vectors", "conversions", "clipped", "clipped_share", "clipped_weights", "clipped_inputs", "lowest", "highest"),
    *("written", "verified"),
)
WEAR = ("cells", "pulses", "row_pulses", "time_ps", "energy_pj", "lifetime_years")


def analog_values(run: GivenRun | None) -> dict[str, Any] | None:
    """The statistics of the run as the report has them; None if it has none."""
    found = _table(run.values.get("analog")) if run else {}
    if not found:
        return None
    kept = [_error(tensor) for tensor in _rows(found, "kept")]
    known = {tensor["name"] for tensor in kept}
    outputs = [tensor for tensor in map(_error, _rows(found, "outputs")) if tensor["name"] not in known]
    return {
        **{name: number_in(found, name) for name in ("trials", "samples", "seed", "first")},
        "accuracy": _proportion(found, "accuracy"),
        "agreement": _proportion(found, "agreement"),
        "by_trial": _distribution(found),
        "tensors": [*kept, *outputs],
        "layers": [_layer(layer) for layer in _rows(found, "layers")],
        "wear": {name: number_in(wear, name) for name in WEAR} if (wear := _table(found.get("wear"))) else None,
    }


def analog_sentence(values: Mapping[str, Any]) -> str:
    """What came out, in one sentence, of the values of a run; empty if it was no analog one."""
    found = _table(values.get("analog"))
    for name, what in (("accuracy", "right"), ("agreement", "as golden")):
        part = _proportion(found, name)
        if part:
            low, high = (f"{100 * part[bound]:.2f} %" for bound in ("low", "high"))
            return f"{part['right']} of {part['of']} answers {what} ({low} to {high})"
    ratios = [f"{row['name']} {row['snr_db']} dB" for row in map(_error, _rows(found, "outputs"))]
    return (
        f"signal to noise of outputs: {', '.join(ratios)}" if ratios else ("nothing to compare with" if found else "")
    )


def histogram_text(counts: object, width: int = WIDTH) -> str | None:
    """Counts of equal parts of a range as a row of bars; None if they are none."""
    if not isinstance(counts, list) or not counts or not all(isinstance(each, int) and each >= 0 for each in counts):
        return None
    step = -(-len(counts) // width)
    sums = [sum(counts[at : at + step]) for at in range(0, len(counts), step)]
    most = max(sums)
    return "".join(BARS[-(-each * (len(BARS) - 1) // most)] for each in sums) if most else None


def _layer(layer: Mapping[str, Any]) -> dict[str, Any]:
    counts = {name: number_in(layer, name) for name in COUNTS}
    node = layer.get("node")
    return {"node": node if isinstance(node, str) else "", **counts, "codes": histogram_text(layer.get("histogram"))}


def _error(tensor: Mapping[str, Any]) -> dict[str, Any]:
    """Of one tensor; a ratio that is infinite is text."""
    words = {name: tensor[name] if isinstance(tensor.get(name), str) else "" for name in ("name", "node")}
    ratio = tensor.get("snr_db")
    return words | {
        "snr_db": ratio if ratio in ("inf", "-inf") else number_in(tensor, "snr_db"),
        "relative": number_in(tensor, "relative"),
        "odd": number_in(tensor, "odd"),
    }


def _proportion(found: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    part = _table(found.get(name))
    numbers = {key: number_in(part, key) for key in ("right", "of", "share", "low", "high", "spread")}
    return numbers if all(numbers[key] is not None for key in ("right", "of", "low", "high")) else None


def _distribution(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """How many trials had so many right answers, or as many as golden ones; the fewest first."""
    part, samples = _table(found.get("accuracy") or found.get("agreement")), number_in(found, "samples")
    each = part.get("by_trial")
    if not samples or not isinstance(each, list):
        return []
    counts = Counter(right for right in each if isinstance(right, int))
    return [{"share": f"{100 * right / samples:.2f} %", "trials": counts[right]} for right in sorted(counts)]


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _rows(found: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    rows = found.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def number_in(table: Mapping[str, Any], name: str) -> float | None:
    """A number of a table; None for anything else."""
    value = table.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
