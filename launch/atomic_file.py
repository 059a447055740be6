"""Writes a file whole or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from emu.errors import InputError


@contextmanager
def whole_file(path: Path) -> Generator[Path, None, None]:
    """Gives a temporary sibling to write, which is renamed to `path` at the end and removed after an exception.

    Devices and pipes are written in place. Raises InputError naming `path` if it cannot be written.
    """
    in_place = path.exists() and not path.is_file()
    written = path if in_place else path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        yield written
        if not in_place:
            written.replace(path.resolve())
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        if not in_place:
            written.unlink(missing_ok=True)
