"""File objects to write to; their errors are sentences with the name that the user gave the file."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from emu.output.calls import CALLS
from emu.output.failures import cannot_write

Buffer = bytes | bytearray | memoryview

_BUFFER = 1 << 16
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class OutputStream:
    """A file object that can be written only, in front of a descriptor that it does not close. Raises InputError.

    Those of `io` call back into Python where they drop every exception, Ctrl-C and SIGTERM, too.
    """

    def __init__(self, descriptor: int, name: Path) -> None:
        self._descriptor, self._name = descriptor, name
        self._waiting = bytearray()
        self._written = 0  # place of the first byte that waits

    def write(self, data: Buffer) -> int:
        """Write all of `data`."""
        with memoryview(data).cast("B") as view:
            if len(self._waiting) + len(view) < _BUFFER:
                self._waiting += view
            else:
                self.flush()
                write_all(self._descriptor, view, self._name)
                self._written += len(view)
            return len(view)

    def writelines(self, lines: Iterable[Buffer]) -> None:
        """Write one after the other."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Give everything to the system."""
        if self._waiting:
            write_all(self._descriptor, self._waiting, self._name)
            self._written += len(self._waiting)
            self._waiting = bytearray()

    def close(self) -> None:
        """Give everything to the system; what comes later is written, too: who has opened the descriptor closes it."""
        self.flush()

    def tell(self) -> int:
        """The place that is written next."""
        return self._written + len(self._waiting)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go elsewhere, as `zipfile` does to complete a header; raises OSError for a pipe (it can do without)."""
        self.flush()
        try:
            self._written = CALLS.lseek(self._descriptor, offset, whence)
        except OSError as error:
            if error.errno == errno.ESPIPE:
                raise
            raise cannot_write(self._name, error) from None
        return self._written


def write_all(descriptor: int, data: Buffer, name: Path) -> None:
    """Write all of `data`; raises InputError about `name`."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[CALLS.write(descriptor, rest) :]
    except OSError as error:
        raise cannot_write(name, error) from error


@contextmanager
def new_file(path: Path, name: Path) -> Generator[OutputStream, None, None]:
    """A file object of a file that must not be there yet, called `name` in sentences; raises InputError."""
    try:
        descriptor = CALLS.open(path, _NEW, 0o666)
    except OSError as error:
        raise cannot_write(name, error) from None
    try:
        stream = OutputStream(descriptor, name)
        yield stream
        stream.flush()
    except BaseException:
        with contextlib.suppress(OSError):
            CALLS.close(descriptor)
        raise
    try:
        CALLS.close(descriptor)
    except OSError as error:
        raise cannot_write(name, error) from None
