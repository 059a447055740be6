"""Searches for leaks of a finished run: living processes and paths."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from launch.system.process_state import alive
from launch.system.run_directory import run_directories

PATIENCE = 5.0  # seconds until something is called a leak
PAUSE = 0.002


def when_gone(processes: Iterable[int], folder: Path | None = None) -> float | None:
    """The time (monotonic) at which all `processes` were gone and `folder` empty; None if patience ended first."""
    left = list(processes)
    deadline = time.monotonic() + PATIENCE
    while True:
        now = time.monotonic()
        left = [process for process in left if alive(process)]
        if not left and (folder is None or not any(folder.iterdir())):
            return now
        if now > deadline:
            return None
        time.sleep(PAUSE)


def leaks_of(processes: Mapping[str, int], folder: Path | None = None) -> tuple[str, ...]:
    """The leaks after a grace period; without a `folder`, the run directories of this process are searched."""
    when_gone(processes.values(), folder)
    living = [f"{name} (process {process})" for name, process in processes.items() if alive(process)]
    paths = run_directories(os.getpid()) if folder is None else list(folder.iterdir())
    return (*living, *map(str, paths))
