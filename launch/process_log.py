"""The log of one process: a text file with the time of every step, or nothing at all."""

from __future__ import annotations

import os
import time
from pathlib import Path

from emu.core.trap import INIT_SAMPLE

TAIL_BYTES, TAIL_LINES = 2000, 3


def core_log(core: int) -> str:
    """The name of a core's log."""
    return f"core_{core:04d}"


class ProcessLog:
    """Writes `seconds since power-on, text` lines to `directory/name.log`; without a directory it is silent."""

    def __init__(self, directory: str, name: str, started: float) -> None:
        self._started = started
        self._began = 0.0
        self._file = (Path(directory) / f"{name}.log").open("w", buffering=1) if directory else None

    def note(self, text: str) -> None:
        """Add a line."""
        if self._file is not None:
            self._file.write(f"{time.monotonic() - self._started:12.6f} {text}\n")

    def starts(self, seed: int) -> None:
        """The process has started."""
        self.note(f"start process {os.getpid()}, seed {seed}")

    def begins(self, sample: int) -> None:
        """`sample` (INIT_SAMPLE: `init`) begins."""
        self._began = time.monotonic()
        self.note(f"begin {_name(sample)}")

    def ends(self, sample: int) -> None:
        """`sample` is done."""
        self.note(f"end {_name(sample)} after {time.monotonic() - self._began:.6f} s")


def tail(directory: str, name: str) -> list[str]:
    """The last lines of a log, without needless blanks; none if there is no such log."""
    if not directory:
        return []
    try:
        with Path(directory, f"{name}.log").open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    return [line.strip() for line in lines[-TAIL_LINES:]]


def _name(sample: int) -> str:
    return "init" if sample == INIT_SAMPLE else f"sample {sample}"
