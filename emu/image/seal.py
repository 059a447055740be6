"""Recomputes the digests of an image after a deliberate edit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from emu.image.digest import digest, digests
from emu.image.manifest import Segment
from emu.image.manifest_json import MANIFEST_FILE, manifest_to_json
from emu.image.npz import Archive
from emu.image.reader import Image, read_manifest
from emu.output.whole_file import write_whole


def seal(out: Path) -> int:
    """Rewrite the digests in the manifest of `out`, and in those of its segments; returns how many files had changed.

    Raises ProgramError or InputError, and changes nothing, if a file of the image cannot be read as what it is.
    """
    out = Path(out)
    manifest = read_manifest(out)
    files = digests(out, list(manifest.files))
    _read_all(Image(out, manifest))
    changed = sum(files[name] != manifest.files[name] for name in files)
    changed += sum(seal(out / segment.file) for segment in manifest.segments if not segment.on_host)
    segments = tuple(_sealed(out, segment) for segment in manifest.segments)
    sealed = replace(manifest, files=files, segments=segments)
    write_whole(out / MANIFEST_FILE, manifest_to_json(sealed).encode())
    return changed


def _sealed(out: Path, segment: Segment) -> Segment:
    path = out / segment.file
    return replace(segment, sha256=digest(path if segment.on_host else path / MANIFEST_FILE).sha256)


def _read_all(image: Image) -> None:
    """Decode every program, map its weights and the read-only tensors, and read the headers of all arrays."""
    for core in image.cores:
        image.weights(core)
    for _ in image.read_only():
        pass
    for name in (image.manifest.default_input, image.manifest.golden):
        if name:
            with Archive(image.path / name) as arrays:
                for array in arrays:
                    arrays.header(array)
