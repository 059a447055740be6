"""Standard output and error of the command line: what cannot be written to the former is an error of its own."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Collection
from typing import TextIO

from emu.errors import EmuError

OUT, ERR = 1, 2
PIPE_CLOSED = 141  # 128 + SIGPIPE


class OutputLost(EmuError):
    """Standard output cannot be written (exit code 2); without a sentence (141) if its reader went away."""

    def __init__(self, error: OSError) -> None:
        if isinstance(error, BrokenPipeError):
            self.exit_code = PIPE_CLOSED
            super().__init__("")
        else:
            reason = error.strerror or error
            super().__init__(f"standard output cannot be written: {reason}; send it to a file or pipe that takes it")


class _Out(io.FileIO):
    """Raises `OutputLost` once; what is written afterwards goes nowhere, also at the end of the interpreter."""

    closed_by_user = lost = False

    def write(self, data: bytes, /) -> int | None:
        if self.lost:
            return len(data)
        try:
            if self.closed_by_user:
                raise OSError(None, "it is closed")
            return super().write(data)
        except OSError as error:
            self.lost = True
            raise OutputLost(error) from None


class _Err(io.FileIO):
    """Drops what cannot be written: words on stderr change nothing about a command."""

    def write(self, data: bytes, /) -> int | None:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def guard_streams(closed: Collection[int]) -> None:
    """Put the two in place of `sys.stdout` and `sys.stderr`; `closed` are descriptors that the process began without.

    Whoever closes both (a daemon) wants no words; whoever closes stdout alone is told that they are lost.
    """
    out = _Out(OUT, "wb", closefd=False)
    out.closed_by_user = OUT in closed and ERR not in closed
    sys.stdout = _text(out, sys.stdout)
    sys.stderr = _text(_Err(ERR, "wb", closefd=False), sys.stderr)


def _text(raw: io.FileIO, before: TextIO | None) -> TextIO:
    """A text stream on `raw` that treats text as `before` did."""
    if not isinstance(before, io.TextIOWrapper):  # closed, or somebody else's
        return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace")
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        before.encoding,
        before.errors,
        line_buffering=before.line_buffering or os.isatty(raw.fileno()),
        write_through=before.write_through,
    )


def flush() -> None:
    """Write what is buffered for stdout; raises OutputLost."""
    if sys.stdout is not None:
        sys.stdout.flush()
