"""Temporary folders, removed at the end of the process, where the system keeps temporary files."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

from emu.errors import InputError
from emu.output.temporary import Temporary, clean, temporary_folder


class ScratchFolder:
    """A context manager that gives an empty private folder and removes it at the end.

    Folders that dead processes left for the same `purpose` are removed, too. Raises InputError.
    """

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose
        self._temporary: Temporary | None = None

    def __enter__(self) -> Path:
        try:
            prefix = scratch_place() / f"emu-{self._purpose}-"
            clean(prefix)
            self._temporary = temporary_folder(prefix, 0o700)
        except OSError as error:
            why = error.strerror or str(error)
            raise InputError(f"no temporary directory can be made: {why}; name another place with TMPDIR") from None
        return self._temporary.path

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._temporary is not None:
            self._temporary.discard()
        self._temporary = None


def scratch_place() -> Path:
    """Where temporary files go: as `tempfile.gettempdir`, which tries it out with a file that a signal may leave."""
    named = filter(None, map(os.environ.get, ("TMPDIR", "TEMP", "TMP")))
    for folder in (*named, "/tmp", "/var/tmp", "/usr/tmp"):
        if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):  # noqa: PTH112
            return Path(folder).absolute()
    return Path.cwd()
