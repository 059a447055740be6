"""Opens an image: manifest, digests, programs, weights and the arrays that came with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np

from emu.arch import Arch
from emu.errors import ProgramError
from emu.image.digest import check_digests
from emu.image.groups import map_groups
from emu.image.manifest import CoreFiles, Manifest
from emu.image.manifest_json import MANIFEST_FILE, manifest_from_json
from emu.image.npz import read_npz
from emu.program.codec import decode_program
from emu.program.program import Program
from emu.program.validate import validate_program

Content = TypeVar("Content")
MAX_MANIFEST = 64 << 20  # bytes


@dataclass(frozen=True, eq=False)
class Image:
    """An `out/` directory that has been opened; programs and weights are read when asked for."""

    path: Path
    manifest: Manifest
    _latest: dict[int, Program] = field(default_factory=dict)  # a core asks for its program and then its weights

    @property
    def arch(self) -> Arch:
        """The architecture that it was made for."""
        return self.manifest.arch

    @cached_property
    def cores(self) -> list[int]:
        """The cores that have a program, ascending."""
        return sorted(files.core for files in self.manifest.cores)

    def program(self, core: int) -> Program:
        """The decoded, validated program of a core; raises ProgramError."""
        if core not in self._latest:
            self._latest.clear()
            self._latest[core] = self._decode(core)
        return self._latest[core]

    def _decode(self, core: int) -> Program:
        path = self.path / self._files(core).program
        program = decode_program(_read(path, path.read_bytes), str(path))
        if program.core != core:
            raise ProgramError(f"{path}: is the program of core {program.core}, not of core {core}")
        validate_program(program, self.arch, str(path), set(self.cores))
        return program

    def weights(self, core: int) -> list[np.ndarray]:
        """Read-only memory-mapped weights [rows, padded columns] of each group of a core; raises ProgramError."""
        groups, files = self.program(core).groups, self._files(core)
        if not groups:
            return []
        if not files.xbar:
            raise ProgramError(f"{self.path}: core {core} has array groups, but no .xbar file")
        path = self.path / files.xbar
        return _read(path, lambda: map_groups(path, groups, f"{self.path}: core {core}"))

    def default_inputs(self) -> dict[str, np.ndarray] | None:
        """The inputs that came with the image, [samples, *shape] each; None if there are none."""
        name = self.manifest.default_input
        return read_npz(self.path / name) if name else None

    def golden(self) -> dict[str, np.ndarray] | None:
        """The golden outputs for the default inputs, [samples, *shape] each; None if there are none."""
        name = self.manifest.golden
        return read_npz(self.path / name) if name else None

    def _files(self, core: int) -> CoreFiles:
        files = self._files_by_core.get(core)
        if files is None:
            raise ProgramError(f"{self.path}: core {core} has no program")
        return files

    @cached_property
    def _files_by_core(self) -> dict[int, CoreFiles]:
        return {files.core: files for files in self.manifest.cores}


def open_image(out: Path, verify: bool = True) -> Image:
    """Open the image directory `out`; `verify` compares every file with its digest. Raises ProgramError, ArchError."""
    out = Path(out)
    manifest = read_manifest(out)
    if verify:
        check_digests(out, manifest)
    return Image(out, manifest)


def read_manifest(out: Path) -> Manifest:
    """The manifest of an image directory; raises ProgramError, ArchError."""
    path = out / MANIFEST_FILE
    if not path.is_file():
        raise ProgramError(f"{out} is no image: it has no {MANIFEST_FILE}; `emu compile` and `emu assemble` write one")
    if path.stat().st_size > MAX_MANIFEST:
        raise ProgramError(f"{path}: larger than {MAX_MANIFEST} bytes, so no manifest")
    return manifest_from_json(_read(path, lambda: path.read_text("utf-8")), str(path))


def _read(path: Path, read: Callable[[], Content]) -> Content:
    try:
        return read()
    except UnicodeDecodeError as error:
        raise ProgramError(f"{path}: not UTF-8 text: {error.reason}") from None
    except OSError as error:
        raise ProgramError(f"{path}: cannot be read: {error.strerror}") from None
