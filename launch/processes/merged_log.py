"""The logs of all processes of a run as one, in the order of time; read piece by piece, however long they are."""

from __future__ import annotations

import heapq
import os
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from emu.output.whole_file import WholeFile
from launch.processes.log import path_of

ALL = "all"  # the name of the merged log
PIECE = 1 << 14  # bytes read at once of one of maybe a thousand logs
_LINE = re.compile(rb" *([0-9]{1,12}\.[0-9]{6}) ")

Entry = tuple[float, str, str]  # seconds since power-on, process, text


def merge_logs(directory: Path, names: Sequence[str], began: float) -> None:
    """Write `all.log`: every line of the logs `names` with host time, process and text; raises InputError.

    `began` is the host's time at power-on, in seconds since 1970. Of equal times the log that is named first comes
    first. What a killed process has left of a line counts as a line; one without a time has that of the line before.
    """
    merged = heapq.merge(*(entries(directory, name) for name in names), key=lambda entry: entry[0])
    width = max(map(len, names), default=0)
    with WholeFile(path_of(directory, ALL)) as file:
        for seconds, name, text in merged:
            moment = datetime.fromtimestamp(began + seconds).astimezone()
            file.write(
                f"{moment.isoformat(timespec='microseconds')} {name:<{width}} {text}\n".encode(
                    errors="backslashreplace"
                )
            )


def entries(directory: Path, name: str) -> Iterator[Entry]:
    """The lines of one log, in order; none if there is no such log."""
    latest = 0.0
    for line in _lines(path_of(directory, name)):
        match = _LINE.match(line)
        if match:
            latest = max(latest, float(match[1]))
        yield latest, name, line[match.end() if match else 0 :].decode(errors="replace")


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file that is open only while a piece is read: all logs at once could be too many open files."""
    begin, rest = 0, b""
    while piece := _read(path, begin):
        begin += len(piece)
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
    if rest:
        yield rest


def _read(path: Path, begin: int) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.pread(descriptor, PIECE, begin)
    except OSError:  # a directory, a pipe
        return b""
    finally:
        os.close(descriptor)
