"""Whether measured ranges belong to the programs of an image."""

from __future__ import annotations

from collections.abc import Mapping

from emu.arch.chip import Arch
from emu.errors import ArchError, shown

_GIVEN = "give the file that `emu calibrate` writes, too"
_AGAIN = "run `emu calibrate` on this image"


def calibrated_keys(arch: Arch) -> list[str]:
    """The keys of a chip that ask for ranges."""
    asking = {"mapping.adc_range": arch.mapping.adc_range, "mapping.input_range": arch.mapping.input_range}
    return [name for name, value in asking.items() if value == "calibrated"]


def check_ranges(arch: Arch, digest: str, layers: Mapping[tuple[int, int], str]) -> None:
    """Raise ArchError unless the ranges of a chip are of this image, or none are asked for and none are there.

    `digest` is what `ranges.network` must be; `layers` the name of the layer of each array group, by core and number.
    """
    ranges, asking = arch.ranges, calibrated_keys(arch)
    if ranges.groups is None:
        if asking:
            raise ArchError(f'{arch.title}: {asking[0]} is "calibrated", but there is no table [ranges]: {_GIVEN}')
        return
    if ranges.network != digest:
        raise ArchError(f"{arch.title}: ranges.network: these ranges are of another network or mapping: {_AGAIN}")
    for core, group, layer, *_ in ranges.groups:
        place = f"{arch.title}: ranges.groups: core {core}, group {group}"
        if (core, group) not in layers:
            raise ArchError(f"{place} is not in the image: {_AGAIN}")
        if layer != (own := layers[core, group]):
            raise ArchError(f"{place} is a range of layer {shown(layer)}, but holds {shown(own)}: {_AGAIN}")
    for (core, group), layer in layers.items():
        if asking and ranges.of(core, group) is None:
            place = f"core {core}, group {group} (layer {shown(layer)})"
            raise ArchError(f"{arch.title}: ranges.groups has no row of {place}: {_AGAIN}")
