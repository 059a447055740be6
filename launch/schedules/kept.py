"""A file that keeps what was measured, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from emu import __version__
from emu.errors import InputError, option
from emu.files import read_text
from emu.output.whole_file import write_whole
from launch.schedules.case import Case, Outcome

LARGEST = 1 << 26  # bytes


class Kept:
    """Outcomes by case, of this version of the product; without a `path` nothing is kept. Raises InputError."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._found: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            self._found = _read(path)

    def get(self, case: Case) -> Outcome | None:
        """What came of a case; None if it was not measured."""
        values = self._found.get(case.key)
        return None if values is None else Outcome(**values)

    def add(self, case: Case, outcome: Outcome) -> None:
        """Keep an outcome at once."""
        if self._path is not None:
            self._found[case.key] = asdict(outcome)
            text = json.dumps({"version": __version__, "measured": self._found}, indent=1)
            write_whole(self._path, f"{text}\n".encode())


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """The outcomes in a file; none if another version has measured them."""
    try:
        values = json.loads(read_text(path, LARGEST))
        found: dict[str, dict[str, Any]] = values["measured"]
        for outcome in found.values():
            Outcome(**outcome)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputError(
            f"{option('keep', path)} is no file of kept measurements: name another file, or remove it"
        ) from None
    return found if values.get("version") == __version__ else {}
