"""The file that tells of a run: what `emu launch --json` and `emu validate --json` print, or a folder of artefacts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from emu.errors import InputError, option
from emu.files import read_text
from emu.noc.ports.port import FlowControl
from launch.runs.artefacts import REPORT

LARGEST = 1 << 28  # bytes of a file
DIGITS = 20  # of whole numbers beyond 64 bits


@dataclass(frozen=True, slots=True)
class GivenRun:
    """A run as plain values, as docs/json.md has them, and the file they were read from."""

    file: Path
    values: Mapping[str, Any]

    @property
    def flow(self) -> FlowControl:
        """Of the messages; that of any run if it does not tell."""
        try:
            return FlowControl.parse(self.values["run"]["flow"])
        except (InputError, KeyError, TypeError, AttributeError):
            return FlowControl()

    @property
    def tensors(self) -> list[Mapping[str, Any]]:
        """Of all outputs and kept tensors that were compared, each once: outputs by the limits of outputs.

        Of an analog run none fails, unless a tolerance bounds its outputs.
        """
        analog = self.values.get("analog")
        free = {"passed": True} if isinstance(analog, Mapping) and not analog.get("bound") else {}
        found: dict[str, Mapping[str, Any]] = {}
        for part in (self.values.get("verdict"), self.values.get("kept")):
            for tensor in part["tensors"] if part else ():
                found[tensor["name"]] = {**tensor, **found.get(tensor["name"], {}), **free}
        return list(found.values())


def read_run(path: Path, manifest_sha256: str) -> GivenRun:
    """Read the run of the image with this manifest; raises InputError for what is none, or is of another image."""
    file = path / REPORT if path.is_dir() else path
    try:
        values = json.loads(read_text(file, LARGEST), parse_constant=str, parse_float=_finite, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is no JSON ({error}): {_how()}") from None
    runs = [run for run in _runs(values) if _is_run(run)]
    if not runs:
        raise InputError(f"{file} does not tell of a run: {_how()}")
    for wanted in (manifest_sha256, ""):
        for run in runs:
            if manifest_of(run) == wanted:
                return GivenRun(file, run)
    raise InputError(
        f"{file} tells of a run of another image (manifest sha256 {manifest_of(runs[0])}, not {manifest_sha256}):"
        f" run this one, or leave {option('run')} out"
    )


def _finite(text: str) -> float | str:
    """A number; what is beyond all numbers stays text, as values that JSON lacks are."""
    value = float(text)
    return value if isfinite(value) else text


def _whole(text: str) -> int | str:
    """A number of at most 64 bits; a longer one stays text."""
    return int(text) if len(text) < DIGITS else text


def _how() -> str:
    printed = f"what emu launch or emu validate with {option('json')} printed"
    return f"give {printed}, or a folder of {option('keep_artifacts')}"


def manifest_of(run: Mapping[str, Any]) -> str:
    """The digest of the manifest that was run; empty if the run ended before it could tell."""
    image = run.get("run", {}).get("image", {})
    return str(image.get("manifest_sha256", ""))


def _runs(values: object) -> list[Any]:
    """The objects that may be runs: the whole file, or the reports of its cases."""
    if isinstance(values, dict) and isinstance(values.get("cases"), list):
        return [case.get("report") for case in values["cases"] if isinstance(case, dict)]
    return [values]


def _is_run(run: object) -> bool:
    """Whether this has the form of a run: one that ended with an error has its sentence and exit code alone."""
    if not isinstance(run, dict) or not isinstance(run.get("exit_code"), int | None):
        return False
    if "run_seconds" not in run:
        return isinstance(run.get("error"), str)
    parts = [run.get("run", {}), run.get("run", {}).get("image", {}) if isinstance(run.get("run", {}), dict) else None]
    return all(isinstance(part, dict) for part in parts) and all(
        map(_is_verdict, (run.get("verdict"), run.get("kept")))
    )


def _is_verdict(part: object) -> bool:
    if part is None:
        return True
    tensors = part.get("tensors") if isinstance(part, dict) else None
    return isinstance(tensors, list) and all(
        isinstance(tensor, dict) and isinstance(tensor.get("name"), str) for tensor in tensors
    )
