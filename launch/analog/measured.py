"""Which programs and weights ranges were measured of, and whether a chip's are of an image."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from emu.arch import Arch
from emu.arch.calibrated import check_ranges
from launch.analog.layers import group_nodes

if TYPE_CHECKING:
    from emu.image.reader import Image


def network_digest(image: Image) -> str:
    """What names the programs and weights of an image in a file of ranges."""
    names = sorted(name for files in image.manifest.cores for name in (files.program, files.xbar) if name)
    lines = (f"{name} {image.manifest.files[name].sha256}\n" for name in names)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def layers_by_group(image: Image) -> dict[tuple[int, int], str]:
    """The ONNX node whose weights each array group holds, by core and number of the group."""
    return {
        (core, group): node
        for core in image.cores
        for group, node in enumerate(group_nodes(image, core, len(image.program(core).groups)))
    }


def refuse_foreign_ranges(image: Image, chip: Arch) -> None:
    """Raise ArchError if a chip has ranges that were not measured of this image, or lacks those that it asks for."""
    check_ranges(chip, network_digest(image), layers_by_group(image))
