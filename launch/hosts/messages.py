"""What goes between a run and a host process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Task:
    """The ONNX file `model`, whose `outputs` are wanted; `shapes` of its inputs, as far as they are fixed."""

    model: Path
    outputs: tuple[str, ...]
    shapes: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a request: `values` by name, unless `fault` says why there are none.

    `bug` is a traceback, of an error of the emulator itself.
    """

    values: Mapping[str, Any]
    fault: str = ""
    bug: str = ""
