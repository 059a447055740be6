"""What can be timed: the first row that recognises a path times it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from emu.errors import InputError


@dataclass(frozen=True, slots=True)
class Subject:
    """A kind of thing: `recognises` a path by its form alone, `figures` ("module:function") times it."""

    name: str
    recognises: Callable[[Path], bool]
    figures: str


def _is_pimsim(path: Path) -> bool:
    return path.is_file() or (path.is_dir() and (path / "config.json").exists())


SUBJECTS = (Subject("a program of pimsim-nn", _is_pimsim, "launch.timing.pimsim:pimsim_figures"),)


def subject_of(path: Path) -> Subject:
    """The row for a path; raises InputError if none knows it."""
    for subject in SUBJECTS:
        if subject.recognises(path):
            return subject
    raise InputError(
        f"{path}: nothing that can be timed: a PIM-ISA program is a JSON file or a directory with a config.json"
    )
