"""The log of one process: a text file with the time of every step, or nothing at all."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from emu.core.trap import INIT_SAMPLE
from emu.errors import InputError, option

TAIL_BYTES, TAIL_LINES = 2000, 3


def core_log(core: int) -> str:
    """The name of a core's log."""
    return f"core_{core:04d}"


def path_of(directory: Path | str, name: str) -> Path:
    """The file of the log `name`."""
    return Path(directory) / f"{name}.log"


def make_log_directory(path: Path | str | None) -> str | None:
    """The full path of the directory of a run's logs, which there is now; raises InputError. None: no logs."""
    if path is None:
        return None
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{option('log_dir')} {path} cannot be made: {error.strerror}") from None
    return str(Path(path).resolve())


class ProcessLog:
    """Writes `seconds since power-on, text` lines to `directory/name.log`; without a directory it is silent.

    The first line that cannot be written raises InputError, and the log is silent from then on.
    """

    def __init__(self, directory: Path | str | None, name: str, started: float) -> None:
        self._started = started
        self._began = 0.0
        self._path = path_of(directory, name) if directory else None
        self._file = -1

    def note(self, text: str) -> None:
        """Add a line; raises InputError if it cannot be written."""
        if self._path is None:
            return
        rest = memoryview(f"{time.monotonic() - self._started:12.6f} {text}\n".encode(errors="backslashreplace"))
        try:
            if self._file < 0:
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            path, self._path = self._path, None
            raise InputError(
                f"the log {path} cannot be written: {error.strerror}; name another folder for logs, or leave them out"
            ) from None

    def last(self, text: str) -> None:
        """Add a line about an error, which counts more than the log."""
        with contextlib.suppress(InputError):
            self.note(text)

    def starts(self, seed: int) -> None:
        """The process has started."""
        self.note(f"start process {os.getpid()}, seed {seed}")

    def begins(self, sample: int) -> None:
        """`sample` (INIT_SAMPLE: `init`) begins."""
        if self._path is not None:
            self._began = time.monotonic()
            self.note(f"begin {_name(sample)}")

    def ends(self, sample: int) -> None:
        """`sample` is done."""
        if self._path is not None:
            self.note(f"end {_name(sample)} after {time.monotonic() - self._began:.6f} s")


def tail(directory: Path | str | None, name: str) -> list[str]:
    """The last lines of a log, without needless blanks; none if there is no such log."""
    if not directory:
        return []
    try:
        with path_of(directory, name).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    return [line.strip() for line in lines[-TAIL_LINES:]]


def _name(sample: int) -> str:
    return "init" if sample == INIT_SAMPLE else f"sample {sample}"
