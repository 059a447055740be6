"""The private directory in which the sockets of a run stand until all are connected."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from emu.errors import InputError
from emu.noc.transport import MAX_IPC_PATH

PREFIX = "emu-run-"
LONGEST_NAME = "/c1234567"  # of a socket


def make_run_directory() -> Path:
    """A new directory, mode 0700, whose path leaves room for a socket's name."""
    prefix = f"{PREFIX}{os.getpid()}-"
    for parent in _parents():
        try:
            directory = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        except OSError:
            continue
        if len(os.fsencode(directory)) + len(LONGEST_NAME) <= MAX_IPC_PATH:
            return directory
        directory.rmdir()
    raise InputError("no directory for sockets: $XDG_RUNTIME_DIR and /tmp are not writable; use --transport tcp")


def _parents() -> Iterator[str]:
    yield from filter(None, (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"))
