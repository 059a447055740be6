"""The chip that a run with `--analog` is on: that of the image, with what files say of its cells over it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from emu.analog.cells.cells import cells_of
from emu.arch import Arch
from emu.arch.overlay import MAX_OVERLAY, analog_of, overlaid
from emu.arch.read import arch_from_dict
from emu.errors import ArchError, InputError, option
from emu.files import read_text
from launch.analog.options import OWN
from launch.analog.ranges import refuse_ranges_of_others

if TYPE_CHECKING:
    from emu.image.reader import Image

_CHIP = "the chip of the run"


def described(image: Image, files: Sequence[str | Path], seed: int | None, samples: int, measured: bool = True) -> Arch:
    """The chip of an image with the tables of `files` over it, one after the other, in trials of `samples` samples.

    A `seed` of None is that of the description. Raises ArchError for what contradicts the chip, and, if those are
    `measured` already, for ranges of another image; InputError for an image without array groups, which are what is
    analog, and for an unreadable file.
    """
    arch, types = image.arch, {spec.weight for core in image.cores for spec in image.program(core).groups}
    if not types:
        raise InputError(
            f"{option('analog')} is about crossbars, and the programs of {image.path} have no array group: leave it out"
        )
    for each in files:
        arch = analog_of(arch) if str(each) == OWN else overlaid(arch, _text(Path(each)), str(each), types)
    cells_of(arch)  # which knows the models that files name
    if arch.draws.samples is not None:
        raise InputError(
            f"draws.samples of {option('analog')} says what is a trial, which in a run are all samples: leave it out,"
            f" and give {option('trials')} N"
        )
    given = {} if seed is None else {"seed": seed}
    if measured:
        refuse_ranges_of_others(image, arch)
    try:
        cells_of(arch)  # before anything runs
    except ArchError as error:
        raise ArchError(f"{arch.title}: {error}") from None
    chip = replace(arch, draws=replace(arch.draws, samples=samples, **given))
    return arch_from_dict(chip.to_dict(), _CHIP)  # the seed is within its bounds


def chip_text(arch: Arch) -> str:
    """The chip as `RunOptions.analog` has it."""
    return json.dumps(arch.to_dict())


def chip_of(text: str) -> Arch:
    """The chip that `chip_text` has written."""
    return arch_from_dict(json.loads(text), _CHIP)


def after_trials(text: str, count: int) -> str:
    """The chip of a run that begins `count` trials later."""
    arch = chip_of(text)
    return chip_text(replace(arch, draws=replace(arch.draws, first=(arch.draws.first or 0) + count)))


def _text(file: Path) -> str:
    return read_text(file, MAX_OVERLAY, ArchError)
