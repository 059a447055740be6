"""Calls a function in a fresh interpreter with one BLAS thread; returns its result, wall time and peak memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from emu.errors import EmuError
from launch.system.by_name import name_of
from launch.workers.failures import WorkerDied, WorkerFailed
from launch.workers.worker import Worker

_LONGEST = 300  # characters of last words


class BenchError(EmuError):
    """A row that cannot be measured (exit code 2)."""


@dataclass(frozen=True, slots=True)
class Probed:
    """What the function returned, seconds from start to end of its process, and the process's high-water mark.

    `errors` is what it wrote to standard error.
    """

    result: Any
    seconds: float
    peak_bytes: int
    errors: str = ""


class ProbeProcess(Worker):
    """A process for one call; its memory is managed as that of a process which a user starts."""

    module, purpose = "launch.bench.probe_worker", "a measurement"

    def __init__(self, name: str, variables: Mapping[str, str] | None = None) -> None:
        super().__init__(name, captured=True, variables=variables, keep_memory=False)

    def failure(self, found: WorkerFailed) -> Exception:
        """A sentence with the last words of the process."""
        last = (found.last_words or f"exit code {found.status}") if isinstance(found, WorkerDied) else str(found)
        return BenchError(f"{self.name} failed: {last[:_LONGEST]}")


def probe(function: Callable[..., Any], variables: Mapping[str, str] | None = None, **arguments: Any) -> Probed:
    """Call `function`, one of a module, in a child process with these further `variables` of its environment.

    Paths are given to it as texts. Raises BenchError if it fails.
    """
    name = name_of(function)
    given = {key: str(value) if isinstance(value, PurePath) else value for key, value in arguments.items()}
    began = time.perf_counter()
    with ProbeProcess(name, variables) as process:
        answer = process.call("measured", function=name, arguments=given)
        process.finish()
        passed = time.perf_counter() - began
        return Probed(answer["result"], passed, answer["peak_bytes"], process.errors)
