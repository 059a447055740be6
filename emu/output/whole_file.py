"""Writes a file whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path
from types import TracebackType

from emu.output.calls import CALLS
from emu.output.failures import cannot_write
from emu.output.folder import make_folder
from emu.output.stream import OutputStream
from emu.output.target import find_target
from emu.output.temporary import Temporary, beside, clean, temporary_file

_STREAM = os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC


class WholeFile:
    """A context manager that gives a file object to write. At the end `path` has all of it, after an exception nothing.

    Folders that are missing are made. What was there keeps its permissions; a link leads to its target. With
    `streams`, devices, pipes and descriptors are written in place. `durable`: the end is reached only when the disk has
    it. Raises InputError.
    """

    def __init__(self, path: Path, *, streams: bool = False, durable: bool = False) -> None:
        """Refuse what cannot be written; nothing is made yet."""
        self._target = find_target(path, streams)
        self._durable = durable
        self._temporary: Temporary | None = None
        self._in_place = -1  # the descriptor of what is no file
        self._stream: OutputStream | None = None

    def __enter__(self) -> OutputStream:
        try:
            self._stream = OutputStream(self._open(), self._target.path)
            return self._stream
        except OSError as error:
            self._release()
            raise cannot_write(self._target.path, error) from None
        except BaseException:
            self._release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._stream is not None:
                self._stream.flush()
                if self._temporary is not None:
                    self._put_in_place(self._temporary)
        except OSError as error:
            raise cannot_write(self._target.path, error) from None
        finally:
            self._release()

    def _open(self) -> int:
        stream = self._target.stream
        if stream is not None:
            self._in_place = CALLS.open(self._target.path, _STREAM) if stream < 0 else CALLS.dup(stream)
            return self._in_place
        make_folder(self._target.real.parent, self._target.path)
        prefix = beside(self._target.real)
        clean(prefix)
        self._temporary = temporary_file(prefix)
        if self._target.mode is not None:
            with contextlib.suppress(OSError):  # a file system without permissions
                CALLS.fchmod(self._temporary.descriptor, self._target.mode)
        return self._temporary.descriptor

    def _put_in_place(self, temporary: Temporary) -> None:
        if self._durable:
            CALLS.fsync(temporary.descriptor)
        CALLS.close(CALLS.dup(temporary.descriptor))  # some errors of network file systems come only now
        CALLS.rename(temporary.path, self._target.real)
        if self._durable:
            sync_folder(self._target.real.parent)

    def _release(self) -> None:
        if self._temporary is not None:
            self._temporary.discard()
        if self._in_place >= 0:
            CALLS.close(self._in_place)
        self._temporary, self._in_place = None, -1


def write_whole(path: Path, content: bytes, *, streams: bool = False) -> None:
    """Write `content` to `path`, as `WholeFile` does."""
    with WholeFile(path, streams=streams) as file:
        file.write(content)


def sync_folder(path: Path) -> None:
    """Wait until the disk has the names in a folder, where the file system knows how to; raises OSError."""
    descriptor = CALLS.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        CALLS.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        CALLS.close(descriptor)
