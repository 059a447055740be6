"""A file that keeps what was measured, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from emu import __version__
from emu.errors import InputError, option
from emu.files import read_text
from emu.output.target import find_target
from emu.output.whole_file import write_whole

LARGEST = 1 << 26  # bytes


class KeptValues:
    """Values by the key of their measurement, of this version of the product; without a `path` nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        """Raises InputError for a file that holds something else, or that cannot be written."""
        self._path = path
        self._found: dict[str, dict[str, Any]] = {}
        if path is not None:
            find_target(path)
            self._found = _read(path) if path.exists() else {}

    def get(self, key: str) -> dict[str, Any] | None:
        """What came of a measurement; None if it was not made."""
        return self._found.get(key)

    def add(self, key: str, values: Mapping[str, Any]) -> None:
        """Keep what came of a measurement at once."""
        if self._path is not None:
            self._found[key] = dict(values)
            text = json.dumps({"version": __version__, "digest": _digest(self._found), "measured": self._found})
            write_whole(self._path, f"{text}\n".encode())


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """What is in a file; nothing if another version has measured it."""
    try:
        values = json.loads(read_text(path, LARGEST))
        found: dict[str, dict[str, Any]] = values["measured"]
        whole = values["digest"] == _digest(found)
    except (ValueError, TypeError, KeyError, RecursionError):
        whole, values, found = False, {}, {}
    if not whole:
        raise InputError(
            f"{option('measurements', path)} is no file of kept measurements: name another file, or remove it"
        )
    return found if values.get("version") == __version__ else {}


def _digest(found: Any) -> str:
    return sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
