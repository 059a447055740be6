"""Writes an image as assembly text, alone or as a directory that assembles back to the same image."""

from __future__ import annotations

import shutil
from pathlib import Path

from numpy.lib import format as npy

from emu.asm.assembler import SOURCE_FILE
from emu.asm.core_printer import core_lines, weight_file
from emu.asm.set_printer import image_lines, print_image
from emu.errors import InputError
from emu.image.reader import Image, open_image
from emu.image.segments import refuse_segments
from emu.output.whole_folder import WholeFolder


def disassemble(out: Path, to: Path | None = None, core: int | None = None) -> str:
    """The assembly text of the image in `out`, or of its core `core` alone.

    With `to`, writes a directory with `chip.asm`, weights (`.npy`) and arrays instead and returns the path of the text;
    `assemble` makes the same image of it. Raises ProgramError; InputError if `to` is in use.
    """
    image = open_image(Path(out))
    refuse_segments(image)
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
    with WholeFolder(to) as folder:
        with folder.file(SOURCE_FILE) as file:
            file.writelines(f"{line}\n".encode() for line in image_lines(image))
        for core in image.cores:
            groups = image.program(core).groups
            for index, (group, weights) in enumerate(zip(groups, image.weights(core), strict=True)):
                if group.shares:
                    continue
                with folder.file(weight_file(core, index)) as file:
                    npy.write_array(file, weights[:, : group.cols], allow_pickle=False)
        manifest = image.manifest
        for name in (manifest.default_input, manifest.golden, *(spec.file for spec in manifest.read_only)):
            if name:
                with (image.path / name).open("rb") as stored, folder.file(name) as file:
                    shutil.copyfileobj(stored, file)
        folder.put_in_place()
