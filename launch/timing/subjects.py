"""What can be timed: the first row that recognises a path times it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from emu.errors import InputError, option
from emu.files import open_file
from emu.image.manifest_json import MANIFEST_FILE
from emu.interop.pim_isa.importing.raw_program import is_imported
from launch.timing.options import TimeOptions

OF_ALL = frozenset({"details"})  # options that mean something for every subject
_MODEL = b"\x08"  # field 1 of a ModelProto, its version


@dataclass(frozen=True, slots=True)
class Subject:
    """A kind of thing: `recognises` a path by its form alone, `figures` ("module:function") times it.

    `takes` are the options (fields of `TimeOptions`) that mean something for it.
    """

    name: str
    recognises: Callable[[Path], bool]
    figures: str
    takes: frozenset[str]


def _is_pimsim(path: Path) -> bool:
    return path.is_file() or (path.is_dir() and (path / "config.json").exists() and not _is_image(path))


def _is_network(path: Path) -> bool:
    """An ONNX file, by its name or its first byte, with which no text and no gzip file begins."""
    if not path.is_file():
        return False
    with open_file(path) as file:
        return path.suffix == ".onnx" or file.read(1) == _MODEL


def _is_image(path: Path) -> bool:
    return (path / MANIFEST_FILE).exists()


def _is_imported(path: Path) -> bool:
    return _is_image(path) and is_imported(path)


SUBJECTS = (
    Subject(
        "an imported program",
        _is_imported,
        "launch.timing.pimsim:imported_figures",
        frozenset({"arch", "simulator", "executor"}),
    ),
    Subject(
        "a compiled directory",
        _is_image,
        "launch.timing.image:image_figures",
        frozenset({"arch", "samples", "flow", "critical_path", "what_if", "bottlenecks", "trace", "peak_power"}),
    ),
    Subject(
        "a program of pimsim-nn",
        _is_pimsim,
        "launch.timing.pimsim:pimsim_figures",
        frozenset({"arch", "simulator", "executor"}),
    ),
)


def subject_of(path: Path, options: TimeOptions) -> Subject:
    """The row for a path; raises InputError if none knows it, or if options mean nothing for it."""
    if _is_network(path):
        raise InputError(
            f"{path} is a network, and programs are timed: compile it with emu compile {shlex.quote(str(path))}"
            " --arch CHIP -o OUT, and time OUT"
        )
    for subject in SUBJECTS:
        if subject.recognises(path):
            idle = [name for name in options.given() if name not in subject.takes | OF_ALL]
            if idle:
                raise InputError(
                    f"{path} is {subject.name}, for which {' and '.join(map(option, idle))} "
                    f"{'means' if len(idle) == 1 else 'mean'} nothing: leave {'it' if len(idle) == 1 else 'them'} out"
                )
            return subject
    raise InputError(
        f"{path}: nothing that can be timed: a compiled directory has a {MANIFEST_FILE}, a PIM-ISA program is a JSON"
        " file or a directory with a config.json"
    )
