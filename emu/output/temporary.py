"""Files and folders under names of their own until they are complete, and what is left of those of dead processes.

Each is locked by the process that makes it. A lock ends with its process, however that ends: what nobody locks is left
over, and removed by the next one that writes the same target.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from emu.output.calls import CALLS

MARK = ".emu-unfinished-"
ASIDE = "-old"  # ends the name of a folder that was moved aside and is lost if nobody moves it back
TOKEN = "[0-9a-f]{16}"  # ends the name of everything temporary
_TOKEN_BYTES = 8
_LONGEST = 180  # bytes of the target's name in that of a temporary one: together no longer than a name can be
_ATTEMPTS = 100
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_at_exit: dict[Path, tuple[int, Callable[[], None]]] = {}  # who is to remove it, and how


@dataclass(frozen=True, slots=True)
class Temporary:
    """A new file or folder and its open, locked descriptor."""

    path: Path
    descriptor: int

    def discard(self) -> None:
        """Remove what is there under the temporary name, if anything is, and close the descriptor."""
        remove(self.path)
        with contextlib.suppress(OSError):
            CALLS.close(self.descriptor)


def beside(target: Path) -> Path:
    """How the paths of everything begin that is to become `target`."""
    return target.with_name("." + os.fsdecode(os.fsencode(target.name)[:_LONGEST]) + MARK)


def temporary_file(prefix: Path) -> Temporary:
    """A new empty file whose path begins with `prefix`; raises OSError."""
    return _make(prefix, lambda path: CALLS.open(path, _NEW, 0o666))


def temporary_folder(prefix: Path, mode: int = 0o777) -> Temporary:
    """A new empty folder whose path begins with `prefix`; raises OSError."""

    def make(path: Path) -> int | None:
        CALLS.mkdir(path, mode)
        try:
            return CALLS.open(path, _FOLDER)
        except FileNotFoundError:  # somebody took it for left over before it could be locked
            return None

    return _make(prefix, make)


def _make(prefix: Path, make: Callable[[Path], int | None]) -> Temporary:
    for _ in range(_ATTEMPTS):
        path = prefix.with_name(f"{prefix.name}{secrets.token_hex(_TOKEN_BYTES)}")
        # Known before it exists, so that no moment at which a signal may come leaves it behind.
        remove_at_exit(path, lambda path=path: remove(path))
        try:
            descriptor = make(path)
        except FileExistsError:  # not ours
            forget(path)
            continue
        except BaseException:
            remove(path)
            raise
        if descriptor is None:
            forget(path)
            continue
        temporary = Temporary(path, descriptor)
        try:
            if lock(descriptor) is not False and is_named(path, descriptor):
                return temporary
        except BaseException:
            temporary.discard()
            raise
        temporary.discard()
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))


def lock(descriptor: int) -> bool | None:
    """Lock an open file or folder; False: somebody else has, None: this file system has no locks."""
    try:
        CALLS.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def is_named(path: Path, descriptor: int) -> bool:
    """Whether `path` still is what is open as `descriptor`."""
    try:
        return os.path.samestat(CALLS.lstat(path), CALLS.fstat(descriptor))
    except FileNotFoundError:
        return False


def remove(path: Path) -> None:
    """Remove a file or folder of ours, as far as that is possible."""
    try:
        CALLS.unlink(path)
    except IsADirectoryError:
        for _ in range(_ATTEMPTS):  # a child that is about to die may still write there
            shutil.rmtree(path, ignore_errors=True)
            if not os.path.lexists(path):
                break
    except OSError:
        pass
    forget(path)


def remove_at_exit(path: Path, how: Callable[[], None]) -> None:
    """At the end of this process, call `how` unless `path` is forgotten by then."""
    _at_exit[path] = os.getpid(), how


def forget(path: Path) -> None:
    """Nothing remains to be done for `path` at the end."""
    _at_exit.pop(path, None)


@atexit.register
def remove_all() -> None:
    """Call what is to be called at the end of this process, which may come without unwinding."""
    for process, how in list(_at_exit.values()):
        if process == os.getpid():  # and no fork of the one that made it
            how()


def clean(prefix: Path, target: Path | None = None) -> None:
    """Remove what dead processes left under `prefix`, and say so on stderr.

    `target` takes back what was moved aside for a new one that never came.
    """
    name = re.compile(rf"{re.escape(prefix.name)}{TOKEN}({ASIDE})?")
    try:
        leftovers = sorted(entry for entry in CALLS.listdir(prefix.parent) if name.fullmatch(entry))
    except OSError:  # what is to be written will tell
        return
    removed = [entry for entry in leftovers if _clean_one(prefix.with_name(entry), target)]
    if removed:
        more = f" and {len(removed) - 1} more" if len(removed) > 1 else ""
        tell(f"note: {prefix.parent}: removed {removed[0]}{more}, left over from an interrupted run")


def _clean_one(path: Path, target: Path | None) -> bool:
    """Remove (or move back) one thing that is left over; whether it was removed."""
    with abandoned(path) as ours:
        if not ours:
            return False
        if target is not None and path.name.endswith(ASIDE) and not os.path.lexists(target):
            with contextlib.suppress(OSError):
                CALLS.rename(path, target)
                tell(f"note: {target}: put back, an interrupted run had moved it aside")
            return False
        remove(path)
        return not os.path.lexists(path)


@contextmanager
def abandoned(path: Path) -> Generator[bool, None, None]:
    """Whether `path` is a file or folder of this user that no process holds; until the end, none takes hold of it."""
    try:
        descriptor = CALLS.open(path, _LOOK)
    except OSError:
        yield False
        return
    try:
        info = CALLS.fstat(descriptor)
        ours = info.st_uid == os.geteuid() and (stat.S_ISREG(info.st_mode) or stat.S_ISDIR(info.st_mode))
        yield ours and lock(descriptor) is True and is_named(path, descriptor)
    finally:
        CALLS.close(descriptor)


def tell(text: str) -> None:
    """One line on stderr, if there is one."""
    stream = sys.stderr
    with contextlib.suppress(OSError, ValueError):
        if stream:
            print(text, file=stream, flush=True)
