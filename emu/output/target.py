"""What a path to write names: a file, new or old, through links; a stream to write in place; or what is refused."""

from __future__ import annotations

import errno
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from emu.errors import InputError
from emu.output.calls import CALLS
from emu.output.failures import cannot_write

_DESCRIPTORS = re.compile(r"/proc/(\d+)(/task/\d+)?/fd")
_MOST_LINKS = 40
_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a disk"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)
_STREAMS = ("a device", "a pipe")


@dataclass(frozen=True, slots=True)
class OutputTarget:
    """`path` as it was given, `real` behind all links, `mode` of the file that is there (None: there is none).

    `stream` is an open descriptor's number, -1 for a device or pipe to open, and None for a file.
    """

    path: Path
    real: Path
    mode: int | None = None
    stream: int | None = None


def find_target(path: Path, streams: bool = False) -> OutputTarget:
    """What is to be written as `path`; raises InputError for anything that must not be written, before it is touched.

    A link leads to its target, which a dangling link makes. Devices, pipes and descriptors such as /dev/stdout are
    refused unless `streams`; directories, disks and sockets always.
    """
    try:
        number = _descriptor(path)
        if number is not None:
            return _descriptor_target(path, number, streams)
        real = Path(os.path.realpath(path)) if path.is_symlink() else path
        try:
            info = CALLS.stat(path)
        except FileNotFoundError:  # or a link to what is not there yet
            return OutputTarget(path, real)
        kind = kind_of(info.st_mode)
        if kind:
            return _strange_target(path, real, kind, streams)
        if not os.access(real, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return OutputTarget(path, real, stat.S_IMODE(info.st_mode) & 0o777)
    except OSError as error:
        raise cannot_write(path, error) from None


def kind_of(mode: int) -> str:
    """What a thing that is no regular file is called; empty for a regular file."""
    return "" if stat.S_ISREG(mode) else next((words for test, words in _KINDS if test(mode)), "no file")


def _strange_target(path: Path, real: Path, kind: str, streams: bool) -> OutputTarget:
    if not (streams and kind in _STREAMS):
        raise InputError(f"{path} is {kind}, which is not replaced: name a file")
    return OutputTarget(path, real, stream=-1)


def _descriptor_target(path: Path, number: int, streams: bool) -> OutputTarget:
    if not streams or number < 0:
        raise InputError(f"{path} is an open stream, not a file that can be written whole: name a file")
    return OutputTarget(path, path, stream=number)


def _descriptor(path: Path) -> int | None:
    """The number of the open file that `path` names, as /dev/stdout does; -1: of another process; None: it does not."""
    for _ in range(_MOST_LINKS):
        parent = os.path.realpath(path.parent)
        if (folder := _DESCRIPTORS.fullmatch(parent)) and path.name.isdecimal():
            return int(path.name) if int(folder[1]) == os.getpid() else -1
        if not path.is_symlink():
            return None
        path = Path(parent, path.readlink())
    return None
