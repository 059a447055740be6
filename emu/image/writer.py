"""Writes an image: into a hidden folder beside its place, which it takes when it is complete."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.lib import format as npy

from emu.errors import InputError
from emu.files import read_text
from emu.image.digest import digests
from emu.image.groups import place_groups, stored_groups, write_groups
from emu.image.json_fields import is_file_name
from emu.image.manifest import CoreFiles, Manifest, ReadOnlySpec
from emu.image.manifest_json import MANIFEST_FILE, manifest_from_json, manifest_to_json
from emu.image.read_only import check_elements
from emu.image.segment_json import SEGMENTS
from emu.image.version import FORMAT
from emu.output.failures import cannot_write
from emu.output.stream import OutputStream
from emu.output.temporary import beside, clean
from emu.output.whole_folder import WholeFolder
from emu.program.codec import encode_program
from emu.program.program import Program

MAX_RECORD = 64 << 20  # bytes of a manifest that stands where an image is to be written


class ImageWriter:
    """A context manager: add cores and files, then `finish`. Without `finish`, nothing is left behind."""

    def __init__(self, out: Path) -> None:
        """Prepare to write `out`; raises InputError if it holds anything but an earlier image."""
        self.out = Path(os.path.realpath(out))
        refuse_foreign(self.out)
        self._cores: list[CoreFiles] = []
        self._read_only: list[ReadOnlySpec] = []
        self._files: list[str] = []
        self._folder = WholeFolder(self.out)

    def __enter__(self) -> ImageWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.__exit__(kind, value, trace)
        if isinstance(value, OSError):  # such as of a file that was to be copied
            where = value.filename or (self.out / self._files[-1] if self._files else self.out)
            raise cannot_write(Path(where), value) from value

    def add_core(self, program: Program, weights: Iterable[np.ndarray]) -> Program:
        """Write one core: `weights` gives one array [rows, cols] per group with crossbars of its own, one at a time.

        Returns the program with the groups' offsets set; raises ProgramError if the weights do not fit the groups.
        """
        name, xbar = f"core_{program.core:04d}.prog", ""
        if name in self._files:
            raise InputError(f"{self.out}: core {program.core} is added twice")
        placed = replace(program, groups=place_groups(program.groups))
        if stored_groups(placed.groups):
            xbar = f"core_{program.core:04d}.xbar"
            with self.add_file(xbar) as file:
                write_groups(file, placed.groups, weights, f"{self.out}: core {program.core}")
        with self.add_file(name) as file:
            file.write(encode_program(placed))
        self._cores.append(CoreFiles(program.core, name, xbar))
        return placed

    def add_read_only(self, spec: ReadOnlySpec, elements: np.ndarray) -> None:
        """Write a read-only tensor: `elements` [*spec.shape]; raises ProgramError unless they are what `spec` says."""
        check_elements(elements, spec, str(self.out))
        with self.add_file(spec.file) as file:
            npy.write_array(file, np.asarray(elements, order="C"), allow_pickle=False)
        self._read_only.append(spec)

    def add_folder(self, name: str) -> Path:
        """Where the image of a segment called `name` is to be written, before `finish`."""
        return self._folder.hidden / name

    def add_file(self, name: str) -> AbstractContextManager[OutputStream]:
        """A context manager that gives a file object to write `name` with, before `finish`.

        Raises InputError for what is no name of a file beside the manifest, or is written already.
        """
        if not is_file_name(name) or name == MANIFEST_FILE or name in self._files:
            raise InputError(f"{self.out}: {name!r} cannot be added to the image (again)")
        self._files.append(name)
        return self._folder.file(name)

    def finish(self, manifest: Manifest) -> Manifest:
        """Write the manifest with what was added and its digests, and move the image into place.

        Returns it; raises ProgramError if it contradicts itself, InputError if foreign files stand in the place by now.
        """
        complete = replace(
            manifest,
            cores=tuple(sorted(self._cores, key=lambda files: files.core)),
            read_only=tuple(self._read_only),
            files=digests(self._folder.hidden, sorted(self._files)),
        )
        text = manifest_to_json(complete)
        manifest_from_json(text, str(self.out / MANIFEST_FILE))  # what cannot be opened again is not written
        with self._folder.file(MANIFEST_FILE) as file:
            file.write(text.encode())
        refuse_foreign(self.out)
        self._folder.put_in_place()
        return complete


def refuse_foreign(out: Path) -> None:
    """Raise InputError unless an image can be written there: nothing stands there but an image, or an empty folder."""
    if not out.exists():
        return
    if not out.is_dir():
        raise InputError(f"{out} is a file: name a directory for the image")
    clean(beside(out / MANIFEST_FILE))
    if not any(out.iterdir()):
        return
    if not is_image(out):
        raise InputError(f"{out} is not empty and holds no image: it is not overwritten, name another directory")
    strange = strange_files(out)
    if strange:
        raise InputError(
            f"{out} holds {strange[0]!r}, which is not of the image there and would be lost: "
            "move it away or name another directory"
        )


def is_image(directory: Path) -> bool:
    """Whether the directory has a manifest of ours (of any version, in whatever state)."""
    return _record(directory).get("format") == FORMAT


def _own_files(directory: Path) -> set[str]:
    """The manifest, and the files and images of segments that it names."""
    record = _record(directory)
    files, segments = record.get("files"), record.get(SEGMENTS)
    parts = {str(part.get("file")) for part in segments if isinstance(part, dict)} if isinstance(segments, list) else ()
    parts = {name for name in parts if is_file_name(name) and is_image(directory / name)}
    images = {name for name in parts if not strange_files(directory / name)}
    return {MANIFEST_FILE, *(files if isinstance(files, dict) else ()), *images}


def strange_files(directory: Path) -> list[str]:
    """What stands in the directory of an image and is not of that image."""
    return sorted({path.name for path in directory.iterdir()} - _own_files(directory))


def _record(directory: Path) -> dict[str, Any]:
    """The manifest as it stands there; empty if it is unreadable."""
    try:
        record = json.loads(read_text(directory / MANIFEST_FILE, MAX_RECORD))
    except (InputError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}
