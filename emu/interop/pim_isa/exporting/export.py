"""Writes an image as a PIM-ISA program, with its crossbars, its memory and a chip that can time it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emu.errors import InputError, ProgramError
from emu.files import shown
from emu.image.reader import Image
from emu.interop.pim_isa.exporting.compiled import write_compiled
from emu.interop.pim_isa.exporting.forms import PROGRAM_FILES, WrittenSize
from emu.interop.pim_isa.exporting.imported import write_imported
from emu.interop.pim_isa.exporting.names import CHIP_FILE, OWN
from emu.interop.pim_isa.importing.raw_program import is_imported
from emu.output.whole_folder import WholeFolder
from emu.wording import counted


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written, and where; `program` and `chip` are what `emu time` takes."""

    image: Path
    output: Path
    form: str
    written: WrittenSize
    nbytes: int

    @property
    def program(self) -> Path:
        """The file of the program, or the folder if it has a file per core."""
        return self.output / PROGRAM_FILES[self.form]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "image": str(self.image),
            "output": str(self.output),
            "form": self.form,
            "program": str(self.program),
            "arch": str(self.output / CHIP_FILE),
            "cores": self.written.cores,
            "instructions": self.written.instructions,
            "crossbars": self.written.crossbars,
            "memory": self.written.memory,
            "bytes": self.nbytes,
        }

    def line(self) -> str:
        """One line for people."""
        return (
            f"{self.image} -> {self.program}: {counted(self.written.cores, 'core')},"
            f" {counted(self.written.instructions, 'instruction')}, {counted(self.written.crossbars, 'crossbar')},"
            f" {self.nbytes / 1e6:.1f} MB; chip {self.output / CHIP_FILE}"
        )


def export_image(image: Image, out: Path, form: str = "pimsim", weights: str = "npy") -> Exported:
    """Write the programs of `image` into the folder `out`, whole or not at all; an imported one as it was read.

    `form` is a key of `FORMS`, `weights` a `WeightFile`. Raises ProgramError naming core, instruction and node
    for what PIM-ISA cannot express.
    """
    _refuse_foreign(out)
    if not image.cores:
        why = "parts of its network run on the host" if image.manifest.segments else "it has no cores"
        raise ProgramError(f"{image.path} cannot be exported: {why}; compile it without them")
    write = write_imported if is_imported(image.path) else write_compiled
    with WholeFolder(out) as folder:
        written = write(image, folder, form, weights)
        nbytes = sum(entry.stat().st_size for entry in os.scandir(folder.hidden))
        folder.put_in_place()
    return Exported(image.path, out, form, written, nbytes)


def _refuse_foreign(out: Path) -> None:
    """An earlier export is replaced, nothing else."""
    if not out.is_dir():
        return
    names = sorted(path.name for path in out.iterdir())
    strange = next((name for name in names if not OWN.fullmatch(name)), None)
    if strange is None and names and CHIP_FILE not in names:
        strange = names[0]
    if strange is not None:
        raise InputError(
            f"{shown(out)} holds {strange!r}, which is of no earlier export and would be lost: name another directory"
        )
