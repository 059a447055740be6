"""Sources of golden values: what `--golden` names, or what is stored in the image."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compiler.evaluation import SOURCES

if TYPE_CHECKING:
    from emu.image.manifest import Manifest

NONE, DEFAULT = "none", "onnxruntime"
ALIASES = {"numpy": "reference"}  # onnx.reference is the evaluator in NumPy


def source_of(golden: str) -> str:
    """The evaluator that `golden` names; empty if it names none."""
    name = ALIASES.get(golden, golden)
    return name if name in SOURCES else ""


def evaluator_of(golden: str, manifest: Manifest) -> str:
    """The evaluator of what is compared beside outputs: that which `golden` names, else that of stored outputs."""
    stored = (source for source in SOURCES if manifest.golden_source.startswith(stored_as(source)))
    return source_of(golden) or next(stored, DEFAULT)


def file_of(golden: str) -> Path | None:
    """The file that `golden` names, if it names one."""
    return None if golden in ("", NONE) or source_of(golden) else Path(golden)


def stored_as(source: str) -> str:
    """How the manifest of an image begins what it says of golden values from `source`."""
    return {"reference": "onnx.reference"}.get(source, source)
