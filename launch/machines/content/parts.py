"""Which files of an image a host needs: those of its cores, and of the memory node if it stands there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from emu.image.digest import digest
from emu.image.json_fields import Field, file_name, hex_or_empty
from emu.image.manifest import FileDigest
from emu.image.manifest_json import MANIFEST_FILE
from emu.image.reader import Image

_LARGEST = 1 << 48  # bytes of any file


@dataclass(frozen=True, slots=True)
class ImageFile:
    """A file of an image: its name there, and what is in it."""

    name: str
    digest: FileDigest

    def record(self) -> list[Any]:
        """Plain values that `file_from` reads."""
        return [self.name, self.digest.size, self.digest.sha256]


def files_for(image: Image, cores: Collection[int], memory_node: bool = False) -> list[ImageFile]:
    """What a host needs to run `cores` of an image: the manifest first, then programs and weights.

    Read-only tensors are for the memory node alone. Digests are those of the manifest: the image has been verified.
    Raises ProgramError if the manifest cannot be read.
    """
    manifest = image.manifest
    names = [name for files in manifest.cores if files.core in cores for name in (files.program, files.xbar) if name]
    names += [spec.file for spec in manifest.read_only] if memory_node else []
    listed = [ImageFile(name, manifest.files[name]) for name in dict.fromkeys(names)]
    return [ImageFile(MANIFEST_FILE, digest(image.path / MANIFEST_FILE)), *listed]


def file_from(field: Field) -> ImageFile:
    """The file whose `record` a message holds; raises ProgramError."""
    name, size, sha256 = field.exactly(3)
    found = hex_or_empty(sha256) or sha256.refuse("expected a SHA-256, got nothing")
    return ImageFile(file_name(name), FileDigest(found, size.integer(0, _LARGEST)))
