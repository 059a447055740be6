"""Recomputes the digests of an image after a deliberate edit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from emu.image.digest import digests
from emu.image.manifest_json import MANIFEST_FILE, manifest_to_json
from emu.image.reader import read_manifest
from emu.output.whole_file import write_whole


def seal(out: Path) -> int:
    """Rewrite the digests in the manifest of `out`; returns how many files had changed. Raises ProgramError."""
    out = Path(out)
    manifest = read_manifest(out)
    found = digests(out, list(manifest.files))
    changed = sum(found[name] != manifest.files[name] for name in found)
    write_whole(out / MANIFEST_FILE, manifest_to_json(replace(manifest, files=found)).encode())
    return changed
