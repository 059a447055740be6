"""Takes from a process what its host has no more of; to be called first in it."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import subprocess
from pathlib import Path

NEW_MOUNTS, OURS = 0x20000, 1 << 14 | 1 << 18  # CLONE_NEWNS; MS_REC | MS_PRIVATE


def file_size(most: int) -> None:
    """Files, those in memory too, have at most so many bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def open_files(most: int) -> None:
    """So many open files at most."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def forks(most: int) -> None:
    """The zygote, which is forked from this process, forks so many processes, and then there are no more.

    Limits of processes do not hold for root.
    """
    fork, this, left = os.fork, os.getpid(), most

    def limited() -> int:
        nonlocal left
        if os.getpid() != this:
            left -= 1
            if left < 0:
                raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return fork()

    os.fork = limited


def disk(size: int) -> None:
    """The disk of the user's cache has so many bytes; raises OSError for whoever may not mount one."""
    kernel = ctypes.CDLL(None, use_errno=True)
    place = os.environ["XDG_CACHE_HOME"]
    Path(place).mkdir(exist_ok=True)
    for failed in (
        kernel.unshare(NEW_MOUNTS),
        kernel.mount(b"none", b"/", None, OURS, None),
        kernel.mount(b"tmpfs", place.encode(), b"tmpfs", 0, f"size={size}".encode()),
    ):
        if failed:
            raise OSError(ctypes.get_errno(), f"a disk cannot be mounted at {place}")


def may_mount() -> bool:
    """Whether this process may have a `disk`."""
    return not subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode
