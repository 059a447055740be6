"""Writes an image as assembly text, alone or as a directory that assembles back to the same image."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from emu.asm.assembler import SOURCE_FILE
from emu.asm.core_printer import core_lines, weight_file
from emu.asm.set_printer import image_lines, print_image
from emu.errors import InputError
from emu.image.reader import Image, open_image


def disassemble(out: Path, to: Path | None = None, core: int | None = None) -> str:
    """The assembly text of the image in `out`, or of its core `core` alone.

    With `to`, writes a directory with `chip.asm`, weights (`.npy`) and arrays instead and returns the path of the text;
    `assemble` makes the same image of it. Raises ProgramError; InputError if `to` is in use.
    """
    image = open_image(Path(out))
    if to is None:
        return print_image(image) if core is None else "".join(f"{line}\n" for line in core_lines(image.program(core)))
    if core is not None:
        raise InputError("one core alone cannot be assembled again: give either a directory or a core")
    to = Path(to)
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise InputError(f"{to} exists and is not an empty directory: name another one")
    _write(image, to)
    return str(to / SOURCE_FILE)


def _write(image: Image, to: Path) -> None:
    try:
        to.mkdir(parents=True, exist_ok=True)
        with (to / SOURCE_FILE).open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in image_lines(image))
        for core in image.cores:
            groups = image.program(core).groups
            for index, (group, weights) in enumerate(zip(groups, image.weights(core), strict=True)):
                np.save(to / weight_file(core, index), weights[:, : group.cols], allow_pickle=False)
        for name in (image.manifest.default_input, image.manifest.golden):
            if name:
                shutil.copyfile(image.path / name, to / name)
    except OSError as error:
        raise InputError(f"{to}: cannot be written: {error.strerror}") from None
