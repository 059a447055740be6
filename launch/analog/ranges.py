"""Measured ranges of array groups beside the image that they are for: which one that is, and whether they fit it."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from emu.arch.calibrated import check_ranges
from launch.analog.layers import nodes_of

if TYPE_CHECKING:
    from emu.arch import Arch
    from emu.image.reader import Image


def network_of(image: Image) -> str:
    """What `ranges.network` is for this image: SHA-256 of its programs and of all that crossbars may hold."""
    manifest = image.manifest
    names = [name for files in manifest.cores for name in (files.program, files.xbar) if name]
    names += [spec.file for spec in manifest.read_only]
    digests = [(name, manifest.files[name].sha256) for name in sorted(set(names)) if name in manifest.files]
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()


def layers_by_group(image: Image) -> dict[tuple[int, int], str]:
    """The layer of each array group, by core and number."""
    return {(core, group): node for core in image.cores for group, node in enumerate(nodes_of(image, core))}


def refuse_ranges_of_others(image: Image, arch: Arch) -> None:
    """Raise ArchError unless the ranges of the chip `arch` are of this image, or none are asked for."""
    check_ranges(arch, network_of(image), layers_by_group(image))
