"""What goes between a run and a host process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Task:
    """The ONNX file `model`, whose `outputs` are wanted; `shapes` of its inputs, as far as they are fixed."""

    model: str
    outputs: Sequence[str]
    shapes: Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a request: `values` by name, unless `fault` says why there are none.

    `bug` is a traceback, of an error of the emulator itself.
    """

    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    fault: str = ""
    bug: str = ""


def plain(message: Task | Answer) -> dict[str, Any]:
    """A message as it is sent; its class makes it anew of these arguments."""
    return {entry.name: getattr(message, entry.name) for entry in fields(message)}
