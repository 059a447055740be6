"""Makes the folders that something is to be written into."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

from emu.output.calls import CALLS
from emu.output.failures import cannot_write


def make_folder(path: Path, of: Path | None = None) -> None:
    """Make a folder and those above it, unless they are there; raises InputError, of the file `of` in it, if given."""
    try:
        missing = [folder for folder in (path, *path.parents) if not folder.is_dir()]
        for folder in reversed(missing):
            with contextlib.suppress(FileExistsError):
                CALLS.mkdir(folder, 0o777)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    except OSError as error:
        raise cannot_write(of or path, error) from None
