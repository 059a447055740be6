"""Scratch directories: gone at the end of their process, or, if it was killed, when the next one is made."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from emu.errors import InputError
from launch.cleanup import Cleaning, forget, remember
from launch.run_directory import temporary_folder

KINDS = ("validate", "golden", "stress", "faults", "bench", "profile")
TOKEN_BYTES = 6
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def scratch_directory(kind: str) -> Iterator[Path]:
    """A new directory below $TMPDIR; raises InputError if there can be none.

    Its owner holds a lock on it, which ends with the process however that ends: a directory without one is left over.
    """
    assert kind in KINDS
    folder = temporary_folder()
    _sweep(folder)
    while True:
        directory = folder / f"emu-{kind}-{secrets.token_hex(TOKEN_BYTES)}"
        remember(str(directory))
        try:
            lock = _make(directory)
            if lock is None:  # taken for a left-over one before it was locked
                continue
            try:
                yield directory
            finally:
                with Cleaning():
                    shutil.rmtree(directory, ignore_errors=True)
                os.close(lock)
            return
        finally:
            forget(str(directory))


def _make(directory: Path) -> int | None:
    """Make it, mode 0700, and lock it; the descriptor that holds the lock, None if somebody has removed it already."""
    try:
        directory.mkdir(mode=0o700)
    except OSError as error:
        raise InputError(
            f"no temporary directory: {directory} cannot be made: {error.strerror}; set TMPDIR elsewhere"
        ) from None
    lock = -1
    with contextlib.suppress(OSError):
        lock = os.open(directory, DIRECTORY)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.stat(directory).st_ino == os.fstat(lock).st_ino:  # noqa: PTH116
            return lock
    if lock >= 0:
        os.close(lock)
    return None


def _sweep(folder: Path) -> None:
    """Remove what processes of this user that are dead have left."""
    for kind in KINDS:
        for path in folder.glob(f"emu-{kind}-{'[0-9a-f]' * (2 * TOKEN_BYTES)}"):
            with contextlib.suppress(OSError):
                lock = os.open(path, DIRECTORY)
                try:
                    _remove_unlocked(path, lock)
                finally:
                    os.close(lock)


def _remove_unlocked(path: Path, lock: int) -> None:
    if os.fstat(lock).st_uid == os.geteuid():
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises while the owner lives
        shutil.rmtree(path, ignore_errors=True)
