"""Writes an image: into a temporary sibling directory, renamed into place when it is complete."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from emu.errors import InputError
from emu.files import read_text
from emu.image.digest import digests
from emu.image.groups import place_groups, write_groups
from emu.image.manifest import FORMAT, CoreFiles, Manifest
from emu.image.manifest_json import MANIFEST_FILE, is_file_name, manifest_from_json, manifest_to_json
from emu.program.codec import encode_program
from emu.program.program import Program

MAX_RECORD = 64 << 20  # bytes of a manifest that stands where an image is to be written


class ImageWriter:
    """A context manager: add cores and files, then `finish`. Without `finish`, nothing is left behind."""

    def __init__(self, out: Path) -> None:
        """Prepare to write `out`; raises InputError if it holds anything but an earlier image."""
        self.out = Path(out).resolve()
        _refuse_foreign(self.out)
        self._cores: list[CoreFiles] = []
        self._files: list[str] = []
        self._temporary = self.out.parent / f".{self.out.name}.{secrets.token_hex(4)}"
        try:
            self.out.parent.mkdir(parents=True, exist_ok=True)
            self._temporary.mkdir()
        except OSError as error:
            raise InputError(f"{self.out}: cannot be written: {error.strerror}") from None

    def __enter__(self) -> ImageWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._temporary, ignore_errors=True)
        if isinstance(value, OSError):  # such as a full disk
            where = value.filename or (self.out / self._files[-1] if self._files else self.out)
            raise InputError(f"{where}: cannot be written: {value.strerror or value}") from value

    def add_core(self, program: Program, weights: Iterable[np.ndarray]) -> Program:
        """Write one core: `weights` gives one array [rows, cols] per group, taken one at a time.

        Returns the program with the groups' offsets set; raises ProgramError if the weights do not fit the groups.
        """
        name, xbar = f"core_{program.core:04d}.prog", ""
        if name in self._files:
            raise InputError(f"{self.out}: core {program.core} is added twice")
        placed = replace(program, groups=place_groups(program.groups))
        if placed.groups:
            xbar = f"core_{program.core:04d}.xbar"
            with self.add_file(xbar).open("wb") as file:
                write_groups(file, placed.groups, weights, f"{self.out}: core {program.core}")
        self.add_file(name).write_bytes(encode_program(placed))
        self._cores.append(CoreFiles(program.core, name, xbar))
        return placed

    def add_file(self, name: str) -> Path:
        """The path to write another file of the image to, before `finish`."""
        if not is_file_name(name) or name == MANIFEST_FILE or name in self._files:
            raise InputError(f"{self.out}: {name!r} cannot be added to the image (again)")
        self._files.append(name)
        return self._temporary / name

    def finish(self, manifest: Manifest) -> Manifest:
        """Write the manifest with the cores and digests of what was added, and move the image into place."""
        complete = replace(
            manifest,
            cores=tuple(sorted(self._cores, key=lambda files: files.core)),
            files=digests(self._temporary, sorted(self._files)),
        )
        text = manifest_to_json(complete)
        manifest_from_json(text, str(self.out / MANIFEST_FILE))  # what cannot be opened again is not written
        (self._temporary / MANIFEST_FILE).write_text(text, "utf-8")
        _refuse_foreign(self.out)
        self._move()
        return complete

    def _move(self) -> None:
        """Replace `out`: the old image is renamed away first, so that no moment has a mixture of both."""
        old = self._temporary.with_name(f"{self._temporary.name}.old")
        try:
            if self.out.exists():
                self.out.rename(old)
            self._temporary.rename(self.out)
        except OSError as error:
            raise InputError(f"{self.out}: cannot be written: {error.strerror}") from None
        finally:
            if old.exists() and not self.out.exists():
                old.rename(self.out)
            shutil.rmtree(old, ignore_errors=True)


def _refuse_foreign(out: Path) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise InputError(f"{out} is a file: name a directory for the image")
    if not any(out.iterdir()):
        return
    if not is_image(out):
        raise InputError(f"{out} is not empty and holds no image: it is not overwritten, name another directory")
    strange = sorted({path.name for path in out.iterdir()} - _own_files(out))
    if strange:
        raise InputError(
            f"{out} holds {strange[0]!r}, which is not of the image there and would be lost: "
            "move it away or name another directory"
        )


def is_image(directory: Path) -> bool:
    """Whether the directory has a manifest of ours (of any version, in whatever state)."""
    return _record(directory).get("format") == FORMAT


def _own_files(directory: Path) -> set[str]:
    """The manifest and the files that it names."""
    files = _record(directory).get("files")
    return {MANIFEST_FILE, *(files if isinstance(files, dict) else ())}


def _record(directory: Path) -> dict[str, Any]:
    """The manifest as it stands there; empty if it is unreadable."""
    try:
        record = json.loads(read_text(directory / MANIFEST_FILE, MAX_RECORD))
    except (InputError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}
