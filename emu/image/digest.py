"""SHA-256 of the files of an image, streamed, and their comparison with the manifest."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from emu.errors import ProgramError
from emu.image.manifest import FileDigest, Manifest


def digest(path: Path) -> FileDigest:
    """Digest and size of one file; raises OSError."""
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return FileDigest(sha256, file.tell())


def digests(directory: Path, names: list[str]) -> dict[str, FileDigest]:
    """Digests of several files, in the order of `names`; raises ProgramError naming a file that cannot be read."""

    def one(name: str) -> FileDigest:
        try:
            return digest(directory / name)
        except FileNotFoundError:
            raise ProgramError(f"{directory}: file {name!r} of the manifest is missing") from None
        except OSError as error:
            raise ProgramError(f"{directory / name}: cannot be read: {error.strerror}") from None

    with ThreadPoolExecutor(2) as pool:  # hashing releases the interpreter
        return dict(zip(names, pool.map(one, names), strict=True))


def check_digests(directory: Path, manifest: Manifest) -> None:
    """Raise ProgramError naming the first file that is missing or not what the manifest says."""
    for name, found in digests(directory, list(manifest.files)).items():
        if found != manifest.files[name]:
            raise ProgramError(
                f"{directory / name} has changed since the image was written: "
                f"run `emu seal {directory}` if the edit was deliberate, or compile again"
            )
