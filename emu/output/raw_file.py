"""An open file that is being written; its errors are sentences that name the file as the user knows it."""

from __future__ import annotations

import contextlib
import errno
import io
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from emu.output.calls import CALLS
from emu.output.failures import cannot_write

_BUFFER = 1 << 16
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class RawFile(io.RawIOBase):
    """Writes everything it is given through an open descriptor, which it does not close.

    Given up, it drops what a buffer in front of it still has.
    """

    def __init__(self, descriptor: int, name: Path) -> None:
        super().__init__()
        self._descriptor, self._name = descriptor, name
        self.given_up = False

    def writable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Whether it is a file and no stream."""
        try:
            CALLS.lseek(self._descriptor, 0, os.SEEK_CUR)
        except OSError:
            return False
        return True

    def write(self, data: object) -> int:
        """Write all of `data`; raises InputError."""
        view = memoryview(data).cast("B")  # type: ignore[arg-type] # a buffer; RawIOBase has no public name for it
        if not self.given_up:
            write_all(self._descriptor, view, self._name)
        return len(view)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go elsewhere, as `zipfile` does to complete a header."""
        try:
            return CALLS.lseek(self._descriptor, offset, whence)
        except OSError as error:
            if error.errno == errno.ESPIPE:  # a stream: `zipfile` goes on without
                raise
            raise cannot_write(self._name, error) from None


def write_all(descriptor: int, data: bytes | memoryview, name: Path) -> None:
    """Write all of `data`; raises InputError about `name`."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[CALLS.write(descriptor, rest) :]
    except OSError as error:
        raise cannot_write(name, error) from error


@contextmanager
def buffered(descriptor: int, name: Path) -> Generator[BinaryIO, None, None]:
    """A file object over an open descriptor: flushed at the end, given up after an exception."""
    raw = RawFile(descriptor, name)
    file = io.BufferedWriter(raw, _BUFFER)
    try:
        yield file
        file.flush()
    except BaseException:
        raw.given_up = True
        raise
    finally:
        with contextlib.suppress(ValueError):  # somebody has closed it
            file.close()


@contextmanager
def new_file(path: Path, name: Path) -> Generator[BinaryIO, None, None]:
    """A file object of a file that must not be there yet, called `name` in sentences; raises InputError."""
    try:
        descriptor = CALLS.open(path, _NEW, 0o666)
    except OSError as error:
        raise cannot_write(name, error) from None
    try:
        with buffered(descriptor, name) as file:
            yield file
    finally:
        CALLS.close(descriptor)
