"""An import from a file to a report: the image, the checker's verdict, numbers for people."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emu.wording import counted
from launch.images.checking import not_proved, refuse_refuted
from launch.system.memory import rare_collections
from launch.text.progress import share_bar

if TYPE_CHECKING:
    from emu.check import Report
    from emu.interop.pim_isa.importing.import_program import Imported


@dataclass(frozen=True, slots=True)
class ImportReport:
    """A finished import of `source` into the directory `out`; `check` is None if nobody asked for it."""

    source: Path
    out: Path
    imported: Imported
    seconds: float
    check: Report | None

    @property
    def warnings(self) -> list[str]:
        """What is strange about the program, and what the checker could not decide."""
        return [*self.imported.warnings, *not_proved(self.check)]

    def line(self) -> str:
        """The result of the import as one line."""
        found = self.imported
        checked = "" if self.check is None else "check proved, " if self.check.proved else self._unproved()
        return (
            f"{self.source.name} -> {self.out}: {counted(len(found.manifest.cores), 'core')},"
            f" {counted(found.instructions, 'instruction')}, rolled to {found.rows}, run as {found.executed},"
            f" {counted(found.crossbars, 'crossbar')}, {checked}{self.seconds:.2f} s"
        )

    def _unproved(self) -> str:
        return f"check: {len(self.check.unproved) if self.check else 0} not proved, "

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        found, manifest = self.imported, self.imported.manifest
        return {
            "program": str(self.source),
            "out": str(self.out),
            "cores": len(manifest.cores),
            "instructions": found.instructions,
            "rolled": found.rows,
            "executed": found.executed,
            "crossbars": found.crossbars,
            "inputs": [spec.name for spec in manifest.inputs],
            "outputs": [spec.name for spec in manifest.outputs],
            "seconds": round(self.seconds, 4),
            "warnings": self.warnings,
            "check": self.check.to_dict() if self.check else None,
        }


@rare_collections()
def import_image(path: Path, out: Path, *, quiet: bool = False, no_check: bool = False, **options: Any) -> ImportReport:
    """Import the program at `path` into the directory `out`, and check it; raises InputError.

    `options` are fields of `ImportRequest`.
    """
    from emu.interop.pim_isa.importing.import_program import ImportRequest, import_program

    began = time.monotonic()
    with share_bar(f"importing {path.name}", quiet) as progress:
        imported = import_program(ImportRequest(path=path, progress=progress, **options), out)
    check = None if no_check else refuse_refuted(out)
    return ImportReport(path, out, imported, time.monotonic() - began, check)
