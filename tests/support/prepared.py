"""Inputs of tests of commands that are made once and then only read, by name."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from click.testing import CliRunner
from commands import DIGITS, EXAMPLES, SAMPLES
from debugged import RICH
from pimsim_files import CONFIG, PROGRAM
from stepped_nets import accumulator

from compiler.passes import PIPELINE
from emu.image.npz import read_npz, write_npz
from launch.cli import cli


def emu(*arguments: object) -> None:
    """Run `emu`, which must succeed."""
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="emu")
    assert result.exit_code == 0, result.output


def digits(folder: Path) -> Path:
    """The example network for 16 cores of the default architecture, with two inputs and their golden values."""
    emu("compile", DIGITS, "-o", folder / "digits", "--cores", 16, "--samples", 2)
    return folder / "digits"


def few(folder: Path) -> Path:
    """Five of the example's samples, with their labels."""
    write_npz(folder / "few.npz", {name: array[:5] for name, array in read_npz(SAMPLES).items()})
    return folder / "few.npz"


def rich(folder: Path) -> Path:
    """Programs for a debugger, in which there is something of everything."""
    (folder / "rich.asm").write_text(RICH)
    return folder / "rich.asm"


def accumulator_model(folder: Path) -> Path:
    """A network with a state: y = s + x, of 4 numbers each."""
    onnx.save(accumulator(), folder / "sum.onnx")
    return folder / "sum.onnx"


def three_steps(folder: Path) -> Path:
    """Inputs `x` of three samples for it."""
    np.savez(folder / "x.npz", x=np.arange(12, dtype=np.float32).reshape(3, 1, 4))
    return folder / "x.npz"


TABLE: dict[str, Callable[[Path], object]] = {
    "digits": digits,
    "few": few,
    "rich": rich,
    "accumulator": accumulator_model,
    "three_steps": three_steps,
    "model": lambda _: DIGITS,
    "samples": lambda _: SAMPLES,
    "examples": lambda _: EXAMPLES,
    "pimsim": lambda _: PROGRAM,
    "pimsim_config": lambda _: CONFIG,
    "pipeline": lambda _: ",".join(PIPELINE),
}


class Prepared:
    """Makes inputs when they are first asked for, and notices when somebody has changed one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()
        self._made: dict[object, Any] = {}
        self._known: dict[Path, dict[Path, tuple[int, int]]] = {}

    def __getitem__(self, name: str) -> Any:
        """What is called so in the table: mostly a path."""
        return self._make(name, TABLE[name])

    def of_file(self, path: Path, make: Callable[[Path], object]) -> Path:
        """The folder of a file of tests, which `make` fills once."""
        return self._make(path, lambda folder: (make(folder), folder)[1])

    def _make(self, key: object, make: Callable[[Path], object]) -> Any:
        if key not in self._made:
            folder = self._folder / str(next(self._numbers))
            folder.mkdir()
            self._made[key] = make(folder)
            self._known[folder] = marks(folder)
        return self._made[key]

    def check_unchanged(self) -> None:
        """Whether all stands as it was made."""
        for folder, known in self._known.items():
            assert marks(folder) == known, f"a test has changed what others read, below {folder}"


def marks(folder: Path) -> dict[Path, tuple[int, int]]:
    """Size and time of all that stands below a folder."""
    return {path: ((found := path.stat()).st_size, found.st_mtime_ns) for path in folder.rglob("*")}
