"""The private directory of the sockets of a run, until all are connected."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from emu.errors import InputError, option
from emu.output.scratch import scratch_place

MAX_IPC_PATH = 107  # bytes of a Unix socket's path
PREFIX = "emu-run-"
RANDOM_BYTES = 8
LONGEST_NAME = "/c1234567"  # of a socket


def choose_run_directory() -> Path:
    """The path of a directory that can be made and leaves room for a socket's name; raises InputError."""
    name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(RANDOM_BYTES)}"
    for parent in run_parents():
        directory = Path(parent, name)
        fits = len(os.fsencode(directory)) + len(LONGEST_NAME) <= MAX_IPC_PATH
        if fits and os.access(parent, os.W_OK | os.X_OK):
            return directory
    raise InputError(
        f"no directory for sockets: $XDG_RUNTIME_DIR and /tmp are not writable; use {option('transport', 'tcp')}"
    )


def make_run_directory(directory: Path) -> None:
    """Make it, mode 0700; raises InputError."""
    try:
        directory.mkdir(mode=0o700)
    except OSError as error:
        raise InputError(f"no directory for sockets: {directory} cannot be made: {error.strerror}") from None


def run_directories(process: int) -> list[Path]:
    """The run directories of launcher `process` that exist now."""
    return sorted({path for parent in run_parents() for path in Path(parent).glob(f"{PREFIX}{process}-*")})


def run_parents() -> Iterator[str]:
    """The directories in which run directories are made, best first."""
    yield from filter(None, (os.environ.get("XDG_RUNTIME_DIR"), str(scratch_place()), "/tmp"))
