"""The system calls that write files, in one place: a test makes any of them fail, or kills the process there."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
from pathlib import Path

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


def exchange(first: Path, second: Path) -> None:
    """Swap two names in one step; raises OSError, also where the file system or the C library cannot do it."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        function = libc.renameat2
    except AttributeError:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS)) from None
    one, other = (ctypes.c_char_p(os.fsencode(path)) for path in (first, second))
    if function(_AT_FDCWD, one, _AT_FDCWD, other, ctypes.c_uint(_RENAME_EXCHANGE)):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class SystemCalls:
    """Functions of the system under their own names; whoever writes calls them through `CALLS`."""

    open = staticmethod(os.open)
    dup = staticmethod(os.dup)
    close = staticmethod(os.close)
    write = staticmethod(os.write)
    pread = staticmethod(os.pread)
    lseek = staticmethod(os.lseek)
    ftruncate = staticmethod(os.ftruncate)
    fchmod = staticmethod(os.fchmod)
    fsync = staticmethod(os.fsync)
    fdatasync = staticmethod(os.fdatasync)
    flock = staticmethod(fcntl.flock)
    stat = staticmethod(os.stat)
    lstat = staticmethod(os.lstat)
    fstat = staticmethod(os.fstat)
    listdir = staticmethod(os.listdir)
    mkdir = staticmethod(os.mkdir)
    rmdir = staticmethod(os.rmdir)
    link = staticmethod(os.link)
    rename = staticmethod(os.rename)
    exchange = staticmethod(exchange)
    unlink = staticmethod(os.unlink)


CALLS = SystemCalls()
