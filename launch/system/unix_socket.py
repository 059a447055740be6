"""A socket that listens at a path, for this user alone; a stale one is replaced."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from emu.errors import InputError
from emu.output.temporary import forget, lock, remove_at_exit
from launch.system.run_directory import MAX_IPC_PATH

_MODE = 0o700
_PATIENCE, _MOMENT = 2.0, 0.01  # seconds that another process may take to replace the same socket


@contextlib.contextmanager
def listening(path: Path) -> Iterator[socket.socket]:
    """A socket of mode 0700 that listens at `path`, which is removed at the end, also by a signal.

    Raises InputError if the path is too long, if somebody listens there, or if something else is there.
    """
    if (size := len(os.fsencode(path))) > MAX_IPC_PATH:
        raise InputError(
            f"{path} has {size} bytes, and the path of a socket at most {MAX_IPC_PATH}: name a shorter one"
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
        os.fchmod(end.fileno(), _MODE)  # the file gets it as it is made
        _bind(end, path)
        made = path.lstat()

        def remove() -> None:
            with contextlib.suppress(OSError):  # somebody has removed it, or has put another one there
                if os.path.samestat(path.lstat(), made):
                    path.unlink()

        remove_at_exit(path, remove)
        try:
            end.listen()
            yield end
        finally:
            remove()
            forget(path)


def _bind(end: socket.socket, path: Path) -> None:
    end_of_patience = time.monotonic() + _PATIENCE
    while True:
        try:
            end.bind(os.fsencode(path))
            return
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise InputError(f"no socket can be made at {path}: {error.strerror}") from None
        _refuse_unless_stale(path)
        if not _unlink_stale(path) and time.monotonic() > end_of_patience:
            raise InputError(f"{path} is left over from a device that is gone, and cannot be removed: remove it")


def _unlink_stale(path: Path) -> bool:
    """Remove a socket at which nobody listens. Two processes do not do so at once, or one would remove the other's."""
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        if lock(folder) is False:
            time.sleep(_MOMENT)
            return False
        if _refuse_unless_stale(path):  # of one that is gone, another one may have taken the place by now
            path.unlink(missing_ok=True)
        return True
    except OSError:
        return False
    finally:
        os.close(folder)


def _refuse_unless_stale(path: Path) -> bool:
    """Raise InputError unless `path` is a stale socket or does not exist; whether it exists.

    It is probed by a socket of another type, which no listener sees.
    """
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise InputError(f"{path} is there and is no socket: name another one, or remove it")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as knocking:
            knocking.connect(os.fsencode(path))
    except FileNotFoundError:
        return False
    except ConnectionRefusedError:
        return True
    except OSError as error:
        if error.errno != errno.EPROTOTYPE:
            raise InputError(f"{path} is a socket that cannot be replaced: {error.strerror}") from None
    raise InputError(f"somebody listens at {path} already: name another socket")
