"""The one way in which files are read: only regular files, opened without blocking, their sizes known first."""

from __future__ import annotations

import mmap
import os
import stat
from pathlib import Path
from typing import BinaryIO

from emu.errors import InputError

Mapped = mmap.mmap | bytes
_SHOWN = 200  # characters of a path in a sentence
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO (a named pipe)",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
}


def open_file(path: Path, error: type[InputError] = InputError, limit: int | None = None) -> BinaryIO:
    """A regular file, open for reading; a link is followed, and what it leads to must be a regular file.

    Raises `error`, naming the file, if it is missing, unreadable, of another kind, or has more than `limit` bytes.
    """
    try:
        _refuse_others(Path(path).stat(), path, error)  # before it is opened: opening alone can wake a device
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except FileNotFoundError:
        raise error(f"{shown(path)} does not exist") from None
    except (OSError, ValueError) as fault:  # ValueError: a name with a zero byte
        raise error(f"{shown(path)} cannot be read: {getattr(fault, 'strerror', '') or fault}") from None
    try:
        status = os.fstat(descriptor)
        _refuse_others(status, path, error)  # it may have been exchanged in between
        if limit is not None and status.st_size > limit:
            raise error(f"{shown(path)} has {status.st_size} bytes, more than the {limit} that such a file may have")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def size_of(file: BinaryIO) -> int:
    """How many bytes an open file has."""
    return os.fstat(file.fileno()).st_size


def read_bytes(path: Path, limit: int, error: type[InputError] = InputError) -> bytes:
    """The content of a file of at most `limit` bytes; raises `error` naming the file."""
    with open_file(path, error, limit) as file:
        try:
            # No further than its size: files of /proc, for one, say that they are empty and go on and on.
            return file.read(size_of(file))
        except OSError as fault:
            raise error(f"{shown(path)} cannot be read: {fault.strerror}") from None


def read_text(path: Path, limit: int, error: type[InputError] = InputError) -> str:
    """The UTF-8 text of a file of at most `limit` bytes, none of it missing; raises `error` naming the file."""
    content = read_bytes(path, limit, error)
    if not content:
        raise error(f"{shown(path)} is empty")
    try:
        return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise error(f"{shown(path)}, line {line}: not UTF-8 text") from None


def map_file(path: Path, error: type[InputError] = InputError) -> Mapped:
    """The bytes of a file, mapped read-only (an empty one cannot be mapped); raises `error` naming the file."""
    with open_file(path, error) as file:
        return map_open_file(file, path, error)


def map_open_file(file: BinaryIO, path: Path, error: type[InputError] = InputError) -> Mapped:
    """`map_file` of a file that is open already; `path` is what errors call it."""
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size_of(file) else b""
    except (OSError, ValueError) as fault:  # ValueError: cut short in between
        raise error(f"{shown(path)} cannot be mapped: {getattr(fault, 'strerror', '') or fault}") from None


def shown(path: Path | str) -> str:
    """A path as sentences name it: the middle of an over-long one is left out."""
    text = str(path)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]}[...]{text[-_SHOWN // 2 :]}"


def _refuse_others(status: os.stat_result, path: Path, error: type[InputError]) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no file")
        raise error(f"{shown(path)} is {kind}: only regular files are read")
