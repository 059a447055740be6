"""The directory of a cache: its marker file, its entries, and their removal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from emu.errors import InputError
from emu.files import read_bytes
from emu.output.calls import CALLS
from emu.output.failures import cannot_write
from emu.output.folder import make_folder
from emu.output.temporary import MARK, beside, is_named, lock, remove
from emu.output.whole_file import write_whole

TAG, MARKER = "CACHEDIR.TAG", "EMU-CACHE"
TAG_TEXT = b"""Signature: 8a477f597d28d172789f06886806bc55
# This directory holds images of emu, or files of them; all of it can be made again (`emu doctor --clean` removes it).
# The line above is that of https://bford.info/cachedir/
"""
IMAGE, REPORT_FILE = "image", "entry.json"  # in the folder of each entry of a cache of images
IMAGES = b"cache of compiled images of emu, form 1\n"
FILES = b"store of files of images of emu, form 1\n"  # those that other machines have sent
_FORMS = (IMAGES, FILES)
PATIENCE, _PAUSE = 5.0, 0.001  # seconds
_KEY = re.compile(r"[0-9a-f]{64}")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def open_cache(directory: Path, form: bytes = IMAGES) -> Path:
    """The real path of the cache of that form in `directory`, which is made one if it is empty or not there.

    Raises InputError for a directory of others, and for one that cannot be made.
    """
    directory = Path(os.path.realpath(directory))
    found = form_of(directory)
    if found == form:
        return directory
    if found:
        raise InputError(f"{directory} is a {found.decode().strip()}: name a new or an empty directory")
    make_folder(directory)
    with locked(directory):
        try:
            names = sorted(CALLS.listdir(directory))
        except OSError as error:
            raise InputError(f"{directory} cannot be read: {error.strerror}; name another directory") from None
        if form_of(directory) == form:  # another process has made it one in between
            return directory
        if strange := [name for name in names if name not in (TAG, MARKER) and MARK not in name]:
            raise InputError(
                f"{directory} holds {strange[0]!r} and is no cache of emu: name a new or an empty directory"
            )
        write_whole(directory / TAG, TAG_TEXT)
        write_whole(directory / MARKER, form)
    return directory


@contextmanager
def locked(directory: Path) -> Generator[None, None, None]:
    """Keep others out who are inside of this, too; but nobody waits for ever for one that was stopped there.

    Raises InputError if there is no such directory.
    """
    try:
        descriptor = CALLS.open(directory, _FOLDER)
    except OSError as error:
        raise InputError(f"{directory} cannot be read: {error.strerror}; name another directory") from None
    try:
        end = time.monotonic() + PATIENCE
        while lock(descriptor) is False and time.monotonic() < end:
            time.sleep(_PAUSE)
        yield
    finally:
        CALLS.close(descriptor)


def form_of(directory: Path) -> bytes:
    """The form of the cache that `open_cache` has made of the directory; empty if it is none."""
    try:
        text = read_bytes(directory / MARKER, max(map(len, _FORMS)))
    except InputError:
        return b""
    return text if text in _FORMS else b""


def entries(directory: Path) -> list[Path]:
    """The folders of a cache that are entries, whole or damaged, and hold nothing else; sorted by name."""
    return sorted(path for path in directory.iterdir() if is_key(path.name) and _is_entry(path))


def is_key(name: str) -> bool:
    """Whether it can be the name of an entry: a SHA-256."""
    return bool(_KEY.fullmatch(name))


def _is_entry(path: Path) -> bool:
    try:
        return not path.is_symlink() and all(
            name in (IMAGE, REPORT_FILE) or MARK in name for name in CALLS.listdir(path)
        )
    except OSError:  # no folder, or none of ours
        return False


def last_use(entry: Path) -> float:
    """When the entry was made or found last, in seconds since 1970."""
    with contextlib.suppress(OSError):
        return (entry / REPORT_FILE).stat().st_mtime
    return entry.lstat().st_mtime


def hold(entry: Path) -> int:
    """A descriptor that keeps an entry from being removed until it is closed; -1 if there is no entry."""
    while True:
        try:
            descriptor = CALLS.open(entry, _FOLDER)
        except OSError:
            return -1
        try:
            with contextlib.suppress(OSError):  # a file system without locks
                CALLS.flock(descriptor, fcntl.LOCK_SH)
            if is_named(entry, descriptor):
                return descriptor
        except BaseException:
            CALLS.close(descriptor)
            raise
        CALLS.close(descriptor)  # it was exchanged meanwhile


def remove_entry(entry: Path) -> bool:
    """Remove an entry unless a process uses it, out of sight in one step; whether it was removed."""
    return _take(entry, _remove)


def free_entry(entry: Path) -> bool:
    """Whether no process uses an entry now."""
    return _take(entry, lambda _: None)


def _take(entry: Path, action: Callable[[Path], None]) -> bool:
    """Do `action` with an entry that nobody uses, and say whether there was one; raises InputError."""
    try:
        descriptor = CALLS.open(entry, _FOLDER)
    except OSError:
        return False
    try:
        if lock(descriptor) is False or not is_named(entry, descriptor):
            return False
        action(entry)
    except OSError as error:
        raise cannot_write(entry, error) from None
    finally:
        CALLS.close(descriptor)
    return True


def _remove(entry: Path) -> None:
    prefix = beside(entry)
    doomed = prefix.with_name(f"{prefix.name}{secrets.token_hex(8)}")
    CALLS.rename(entry, doomed)
    remove(doomed)
