"""Opens an image: manifest, digests, programs, weights and the arrays that came with it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock

import numpy as np

from emu.arch import Arch
from emu.arch.read import arch_from_dict
from emu.errors import ProgramError
from emu.files import read_bytes, read_text
from emu.image.digest import check_digests
from emu.image.groups import map_groups, stored_groups
from emu.image.manifest import CoreFiles, Manifest, TensorSpec
from emu.image.manifest_json import MANIFEST_FILE, manifest_from_json
from emu.image.npz import Archive
from emu.image.read_only import map_tensor
from emu.image.written import reader, written_weights
from emu.program.codec import decode_program, without_core
from emu.program.limits import HAS_CORE
from emu.program.program import Program
from emu.program.validate import validate_program

MAX_MANIFEST = 64 << 20  # bytes
MAX_PROGRAM = 1 << 28  # bytes of one core's program: some million instructions
MOST_KNOWN = 1 << 14  # programs that are known to be well formed
MOST_ALIKE = 1 << 14  # bytes of the program of a core that does nothing, or next to nothing
MOST_KEPT = 1 << 21  # bytes of the files of programs that are kept decoded

_World = tuple[Arch, frozenset[int]]  # what a program must fit: the architecture, and the cores that have a program


class KnownPrograms:
    """Well-formed programs by digest and world: a command reads each one to check it, to run it and to time it.

    Programs do not change, so the latest small ones are kept as well: `most` bytes of their files. Small ones that
    talk to no other core are known for every core: those of idle cores are all alike.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._valid = set[tuple[bytes, _World]]()
        self._kept: dict[tuple[bytes, _World], tuple[Program, int]] = {}  # with the bytes of its file, oldest first
        self._most, self._size = most, 0
        self._lock = Lock()

    def read(self, content: bytes, core: int, where: str, world: _World) -> Program:
        """The decoded, validated program of `core` in a file, which errors call `where`; raises ProgramError."""
        found, rest = without_core(content) if len(content) <= MOST_ALIKE else (-1, content)
        alike = hashlib.sha256(rest).digest(), world
        if 0 <= found < world[0].all_cores and found == core and alike in self._kept:
            same = self._kept[alike][0]
            return same if same.core == core else replace(same, core=core)
        key = alike if found < 0 else (hashlib.sha256(content).digest(), world)
        known = self._kept.get(key)
        program = known[0] if known else decode_program(content, where)
        if program.core != core:
            raise ProgramError(f"{where}: is the program of core {program.core}, not of core {core}")
        if known is None:
            self._validate(key, program, where)
            self._keep(key if found < 0 or _talks(program) else alike, program, len(content))
        return program

    def _validate(self, key: tuple[bytes, _World], program: Program, where: str) -> None:
        if key in self._valid:
            return
        arch, cores = key[1]
        validate_program(program, arch, where, cores)
        if len(self._valid) >= MOST_KNOWN:
            self._valid.clear()
        self._valid.add(key)

    def _keep(self, key: tuple[bytes, _World], program: Program, size: int) -> None:
        with self._lock:
            if size > self._most or key in self._kept:
                return
            self._kept[key] = program, size
            self._size += size
            while self._size > self._most:
                oldest = next(iter(self._kept))
                self._size -= self._kept.pop(oldest)[1]


def _talks(program: Program) -> bool:
    """Whether it names another core."""
    return any(HAS_CORE[section.columns["op"]].any() for section in (program.init, program.main))


_known = KnownPrograms()


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
        content = read_bytes(path, MAX_PROGRAM, ProgramError)
        return _known.read(content, core, str(path), self._world)

    @cached_property
    def _world(self) -> _World:
        return _same_world(self.arch, frozenset(self.cores))

    def program_size(self, core: int) -> int:
        """Bytes of the file of a core's program; raises ProgramError if it has none, and OSError."""
        return (self.path / self._files(core).program).stat().st_size

    def weights(self, core: int) -> list[np.ndarray]:
        """Read-only memory-mapped weights [rows, padded columns] of each group of a core; raises ProgramError.

        Those of a group in the bank are zeros: it holds what its program writes.
        """
        groups, files = self.program(core).groups, self._files(core)
        if stored_groups(groups) and not files.xbar:
            raise ProgramError(f"{self.path}: core {core} has array groups, but no .xbar file")
        path = self.path / files.xbar if stored_groups(groups) else None
        return map_groups(path, groups, f"{self.path}: core {core}")

    def multiplied(self, core: int) -> list[np.ndarray | None]:
        """What products multiply with, as `weights`; of groups in the bank what the program writes there.

        None where that cannot be told from the program. Raises InputError, ProgramError.
        """
        program = self.program(core)
        if not any(group.shares for group in program.groups):
            return list(self.weights(core))
        written = written_weights(program, reader([(address, data) for _, address, data in self.read_only()]))
        both = zip(program.groups, self.weights(core), written, strict=True)
        return [mine if group.shares else stored for group, stored, mine in both]

    def read_only(self) -> Iterator[tuple[str, int, memoryview]]:
        """Name, global address and memory-mapped bytes of each read-only tensor; raises InputError, ProgramError."""
        for spec in self.manifest.read_only:
            elements = map_tensor(self.path / spec.file, spec)
            yield spec.name, spec.address, elements.reshape(-1).view(np.uint8).data

    def default_inputs(self) -> dict[str, np.ndarray] | None:
        """The inputs that came with the image, [samples, *shape] each; None if there are none. Raises InputError."""
        return self._arrays(self.manifest.default_input, self.manifest.inputs)

    def golden(self) -> dict[str, np.ndarray] | None:
        """The golden outputs for the default inputs, [samples, *shape] each, or None; raises InputError."""
        return self._arrays(self.manifest.golden, self.manifest.outputs)

    def _arrays(self, name: str, specs: Sequence[TensorSpec]) -> dict[str, np.ndarray] | None:
        """Of the archive `name`, the arrays that belong to `specs`; all others stay unread."""
        if not name:
            return None
        with Archive(self.path / name) as arrays:
            return {spec.name: arrays[spec.name] for spec in specs if spec.name in arrays}

    def _files(self, core: int) -> CoreFiles:
        files = self._files_by_core.get(core)
        if files is None:
            raise ProgramError(f"{self.path}: core {core} has no program")
        return files

    @cached_property
    def _files_by_core(self) -> dict[int, CoreFiles]:
        return {files.core: files for files in self.manifest.cores}


@lru_cache(64)
def _same_world(arch: Arch, cores: frozenset[int]) -> _World:
    """One object for equal ones, which are then equal at a glance."""
    return arch, cores


def open_image(out: Path, verify: bool = True) -> Image:
    """Open the image directory `out`; `verify` compares every file with its digest. Raises ProgramError, ArchError."""
    out = Path(out)
    manifest = read_manifest(out)
    if verify:
        check_digests(out, manifest)
    return Image(out, manifest)


def on_chip(image: Image, described: str) -> Image:
    """The same programs on the chip that JSON of plain values describes, which they must fit; empty: on their own."""
    if not described:
        return image
    arch = arch_from_dict(json.loads(described), "the chip of the run")
    return replace(image, manifest=replace(image.manifest, arch=arch))


def read_manifest(out: Path) -> Manifest:
    """The manifest of an image directory; raises ProgramError, ArchError."""
    path = out / MANIFEST_FILE
    if not os.path.lexists(path):
        raise ProgramError(f"{out} is no image: it has no {MANIFEST_FILE}; `emu compile` and `emu import` write one")
    return manifest_from_json(read_text(path, MAX_MANIFEST, ProgramError), str(path))
