"""The file that finished samples are appended to: locked, and nothing that was appended is ever truncated."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from pathlib import Path

from emu.errors import InputError
from emu.output.calls import CALLS
from emu.output.failures import cannot_write
from emu.output.stream import write_all
from emu.output.target import kind_of
from emu.output.temporary import beside, clean, forget, is_named, lock, remove_at_exit, temporary_file
from emu.output.whole_file import sync_folder

SYNC_SECONDS = 0.2  # a power failure loses at most what came in so much time; a crash of processes loses nothing
_BLOCK = 1 << 24  # bytes copied at once
_ATTEMPTS = 10
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class SideFile:
    """A file at `path` that this process has locked, created if it did not exist. Raises InputError.

    It is neither a link nor has a second name: a file with hard links is copied. While it is `worthless`, it is removed
    at the end, however this process ends by itself.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.descriptor = -1
        self.worthless = False
        self._synced = time.monotonic()
        remove_at_exit(path, self.close)  # set before the file exists, as a signal may come
        try:
            clean(beside(path))
            self.descriptor = self._open(os.O_CREAT)
            self.worthless = not self.size
            if CALLS.fstat(self.descriptor).st_nlink > 1:
                self._copy()
        except OSError as error:
            self.close()
            raise cannot_write(path, error) from None
        except BaseException:
            self.close()
            raise

    @property
    def size(self) -> int:
        """Bytes."""
        return CALLS.fstat(self.descriptor).st_size

    def append(self, content: bytes) -> None:
        """Add `content` at the end; raises InputError."""
        write_all(self.descriptor, content, self.path)
        try:
            if time.monotonic() - self._synced > SYNC_SECONDS:
                CALLS.fdatasync(self.descriptor)
                self._synced = time.monotonic()
        except OSError as error:
            raise cannot_write(self.path, error) from None

    def read(self, size: int, place: int) -> bytes:
        """At most `size` bytes from `place` on; raises InputError."""
        try:
            return CALLS.pread(self.descriptor, size, place)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror}") from None

    def cut(self, size: int) -> None:
        """Truncate the file to `size` bytes, and append there from now on; raises InputError."""
        try:
            if self.size > size:
                CALLS.ftruncate(self.descriptor, size)
            CALLS.lseek(self.descriptor, size, os.SEEK_SET)
        except OSError as error:
            raise cannot_write(self.path, error) from None

    def remove(self) -> None:
        """Remove the file, unless it was replaced by another one; its content can be read until `close`."""
        self.worthless = True
        with contextlib.suppress(OSError):
            if is_named(self.path, self.descriptor):
                CALLS.unlink(self.path)

    def close(self) -> None:
        """Remove the file if it is worthless, and unlock it; may be called twice."""
        with contextlib.suppress(OSError, InputError):
            if self.descriptor < 0 and CALLS.lstat(self.path).st_size == 0:  # a signal came while it was created
                self.descriptor = self._open()
                self.worthless = not self.size
            if self.worthless:
                self.remove()
        forget(self.path)
        if self.descriptor >= 0:
            with contextlib.suppress(OSError):
                CALLS.close(self.descriptor)
        self.descriptor = -1

    def _open(self, create: int = 0) -> int:
        """A descriptor of the file, after locking it."""
        for _ in range(_ATTEMPTS):
            self._refuse_strange()
            descriptor = CALLS.open(self.path, _OPEN | create, 0o666)
            try:
                locked = lock(descriptor)
                if locked is None:
                    raise InputError(f"{self.path} cannot be locked: save to a file system that has locks")
                if not locked:
                    break
                if is_named(self.path, descriptor):  # else another run has removed it meanwhile
                    kept, descriptor = descriptor, -1
                    return kept
            finally:
                if descriptor >= 0:
                    CALLS.close(descriptor)
        raise InputError(f"{self.path} is in use by another run: wait for it, or save to another file")

    def _refuse_strange(self) -> None:
        try:
            mode = CALLS.lstat(self.path).st_mode
        except FileNotFoundError:
            return
        kind = "a link" if stat.S_ISLNK(mode) else kind_of(mode)
        if kind:
            raise InputError(f"{self.path} is {kind}, but finished samples are kept there: remove it")

    def _copy(self) -> None:
        """Leave the content to its other hard link, and continue with a copy."""
        temporary = temporary_file(beside(self.path))
        try:
            place = 0
            while block := self.read(_BLOCK, place):
                write_all(temporary.descriptor, block, self.path)
                place += len(block)
            CALLS.fsync(temporary.descriptor)
            CALLS.rename(temporary.path, self.path)
        except BaseException:
            temporary.discard()
            raise
        forget(temporary.path)
        linked, self.descriptor = self.descriptor, temporary.descriptor
        CALLS.close(linked)
        sync_folder(self.path.parent)
