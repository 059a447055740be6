"""The images of a network with host nodes: one for each segment of cores."""

from __future__ import annotations

from pathlib import Path

from emu.errors import InputError, ProgramError
from emu.image.digest import digest
from emu.image.manifest_json import MANIFEST_FILE
from emu.image.reader import Image, open_image


def core_images(image: Image, verify: bool = False) -> list[Image]:
    """The images with programs: `image` itself, or those of its segments, in order; raises ProgramError, ArchError.

    With `verify` their manifests must be those that `image` names; their other files are verified when they run.
    """
    if not image.manifest.segments:
        return [image]
    parts = [segment for segment in image.manifest.segments if not segment.on_host]
    for segment in parts if verify else ():
        path = image.path / segment.file / MANIFEST_FILE
        if digest(path).sha256 != segment.sha256:
            raise ProgramError(f"{path} is not the one that {image.path} was written with: compile again")
    return [open_image(image.path / segment.file, verify=False) for segment in parts]


def refuse_segments(image: Image) -> None:
    """Raise InputError for an image that runs in segments, where one of programs is wanted."""
    if image.manifest.segments:
        folders = [segment.file for segment in image.manifest.segments if not segment.on_host]
        if not folders:
            raise InputError(f"{image.path} is of a network that runs on the host alone: it has no programs of cores")
        raise InputError(
            f"{image.path} is of a network with host nodes and runs in segments: name the image of one of them, "
            f"{', '.join(folders)}"
        )


def is_segmented(out: Path) -> bool:
    """Whether the image in the directory `out` runs in segments; raises ProgramError, ArchError."""
    return bool(open_image(out, verify=False).manifest.segments)
