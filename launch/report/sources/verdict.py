"""Whether a run was right, in the words of the report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emu.errors import option
from launch.report.sources.analog import analog_sentence
from launch.report.sources.given_run import GivenRun

RIGHT, WRONG, FAILED, UNCOMPARED, NO_RUN = "right", "wrong", "failed", "not compared", "no run"
MEASURED = "measured"  # an analog run, which need not equal its golden values
MISMATCH = 1  # the exit code
FIGURES = (
    "name",
    "node",
    "passed",
    "max_abs",
    "relative",
    "tolerance",
    "mismatches",
    "elements",
    "worst",
    "got",
    "want",
)


def verdict_values(run: GivenRun | None, out: Path) -> dict[str, Any]:
    """`state` is one of the words above, `sentence` says why; `tensors` are those that were compared."""
    if run is None:
        how = f"no run was given: emu launch {out} {option('json')} > run.json, and add {option('run', 'run.json')}"
        return {"state": NO_RUN, "sentence": how, "source": None, "exit_code": None, "bisect": None, "tensors": []}
    values = run.values
    compared = values.get("verdict")
    return {
        "state": _state(values),
        "sentence": _sentence(values),
        "source": str(compared.get("source")) if compared else None,
        "exit_code": values.get("exit_code"),
        "bisect": _first_wrong(values),
        "tensors": [_figures(tensor) for tensor in run.tensors],
    }


def _state(values: Mapping[str, Any]) -> str:
    code = values.get("exit_code")
    if code == MISMATCH:
        return WRONG
    if code != 0:
        return FAILED
    if analog_sentence(values):
        return MEASURED
    return RIGHT if values.get("verdict") else UNCOMPARED


def _sentence(values: Mapping[str, Any]) -> str:
    """Why it is not right, or what was compared."""
    reason = str(values.get("reason") or values.get("error") or "") or analog_sentence(values)
    compared = values.get("verdict")
    if reason or not compared:
        return reason or str(values.get("note") or "nothing was compared")
    samples = values.get("samples")
    return f"all outputs of {samples} sample{'' if samples == 1 else 's'} agree with {compared.get('source')}"


def _first_wrong(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a search for the first divergence has found, in its own lines; None if the run tells of none."""
    found = values.get("bisect")
    if not isinstance(found, Mapping):
        return None
    lines = found.get("lines")
    if not isinstance(lines, list) or not lines:
        return None
    node, core = found.get("node"), found.get("core")
    return {
        "node": node if isinstance(node, str) and node else None,
        "core": core if isinstance(core, int) and not isinstance(core, bool) else None,
        "lines": [str(line) for line in lines],
    }


def real_values(run: GivenRun | None) -> dict[str, Any] | None:
    """Seconds of the run on the host, and how it was run; None without one, or if it did not end."""
    if run is None or "run_seconds" not in run.values:
        return None
    values = run.values
    measures = values.get("measures")
    measures = measures if isinstance(measures, Mapping) else {}
    return {
        "start_seconds": _number(values.get("start_seconds")),
        "run_seconds": _number(values.get("run_seconds")),
        "samples": _number(values.get("samples")),
        "seconds_per_sample": _number(measures.get("seconds_per_sample")) or _per_sample(values),
        "options": values.get("options"),
        "accuracy": values.get("accuracy"),
    }


def _per_sample(values: Mapping[str, Any]) -> float | None:
    seconds, samples = _number(values.get("run_seconds")), _number(values.get("samples"))
    return seconds / samples if seconds is not None and samples else None


def _number(value: object) -> float | None:
    """A number of the file; None for anything else."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _figures(tensor: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers and words of a compared tensor; where it is worst is a list of numbers."""
    found = {key: tensor.get(key) for key in FIGURES}
    worst = found["worst"]
    places = worst if isinstance(worst, list) and all(isinstance(place, int) for place in worst) else None
    return {key: None if isinstance(value, list | dict) else value for key, value in found.items()} | {"worst": places}


def errors_by_node(run: GivenRun | None, producers: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Per node the compared tensor that is furthest off; `producers` are the nodes that make tensors."""
    found: dict[str, dict[str, Any]] = {}
    for tensor in run.tensors if run else ():
        figures = _figures(tensor)
        node = str(figures.pop("node") or producers.get(tensor["name"], ""))
        error = figures | {"tensor": tensor["name"]}
        if node not in found or _off(error) > _off(found[node]):
            found[node] = error
    return found


def _off(error: Mapping[str, Any]) -> tuple[bool, float]:
    """Wrong ones before right ones, then by the difference; what is not a number is the furthest."""
    relative = error["relative"]
    return not error["passed"], relative if isinstance(relative, float | int) else float("inf")
