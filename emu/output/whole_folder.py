"""Writes a folder of files whole or not at all."""

from __future__ import annotations

import contextlib
import os
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

from emu.errors import InputError
from emu.output.calls import CALLS
from emu.output.failures import cannot_write
from emu.output.folder import make_folder
from emu.output.stream import OutputStream, new_file
from emu.output.target import kind_of
from emu.output.temporary import ASIDE, Temporary, beside, clean, lock, remove, remove_at_exit, temporary_folder

_LOOK = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class WholeFolder:
    """A context manager: add files, then `put_in_place`. Without that, what was there stays and nothing else does.

    `hidden` is where the files are until then, a folder beside `path`. Raises InputError.
    """

    def __init__(self, path: Path) -> None:
        """Make the hidden folder, and the folders above it."""
        self.path = Path(os.path.realpath(path))
        self._temporary: Temporary | None = None
        self._refuse(path)
        make_folder(self.path.parent)
        clean(beside(self.path), self.path)
        try:
            self._temporary = temporary_folder(beside(self.path))
        except OSError as error:
            raise cannot_write(self.path, error) from None
        self.hidden = self._temporary.path

    def __enter__(self) -> WholeFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._temporary is not None:
            self._temporary.discard()
        self._temporary = None

    def file(self, name: str) -> AbstractContextManager[OutputStream]:
        """A new file of the folder, as a context manager that gives a file object."""
        return new_file(self.hidden / name, self.path / name)

    def put_in_place(self) -> None:
        """From now on `path` is the new folder, in one step; what was there is removed."""
        try:
            if not self.path.exists():
                CALLS.rename(self.hidden, self.path)
                return
            try:
                CALLS.exchange(self.hidden, self.path)
            except OSError:  # file systems and kernels without it
                self._put_aside()
        except OSError as error:
            raise cannot_write(self.path, error) from None

    def _put_aside(self) -> None:
        """In two steps; should this process end between them, the next writer puts the old folder back (`clean`)."""
        aside = self.hidden.with_name(f"{self.hidden.name}{ASIDE}")
        descriptor = CALLS.open(self.path, _LOOK)
        try:
            lock(descriptor)  # no other process takes it for left over
            remove_at_exit(aside, lambda: self._settle(aside))
            CALLS.rename(self.path, aside)
            CALLS.rename(self.hidden, self.path)
        finally:
            self._settle(aside)
            CALLS.close(descriptor)

    def _settle(self, aside: Path) -> None:
        """Put the old folder back if the new one is not there; remove it otherwise."""
        if not os.path.lexists(self.path):
            with contextlib.suppress(OSError):
                CALLS.rename(aside, self.path)
        if os.path.lexists(self.path):
            remove(aside)

    def _refuse(self, path: Path) -> None:
        """Refuse a target that is no folder, or that a shell stands in: its files would be nowhere for that shell."""
        try:
            info = CALLS.stat(self.path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise cannot_write(path, error) from None
        if not os.path.isdir(self.path):  # noqa: PTH112
            raise InputError(f"{path} is {kind_of(info.st_mode) or 'a file'}: name a directory")
        with contextlib.suppress(OSError):
            if os.path.samestat(info, CALLS.stat(".")):
                raise InputError(f"{path} is the current directory, which is not replaced: name another one")
