"""Measures of a run that a budget can bound and that a later run can be compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from emu.image.segments import core_images
from emu.noc.traffic.traffic import messages_and_bytes
from emu.program.group import physical_crossbars
from launch.runs.result import RunResult

if TYPE_CHECKING:
    from emu.image.reader import Image


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a run: what it counts, and what `--help` says of the option that bounds it."""

    words: str
    option: str  # the parameter that bounds it
    ratio_only: bool = False  # it is a time: only its ratio to that of a baseline means something
    digits: int = 0  # behind the decimal point


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "cores": Measure("cores with a program", "max_cores"),
        "crossbars": Measure("crossbars", "max_crossbars"),
        "messages": Measure("messages between cores per sample", "max_messages"),
        "bytes": Measure("bytes between cores per sample", "max_bytes"),
        "seconds_per_sample": Measure("seconds per sample", "max_latency_ratio", ratio_only=True, digits=6),
    }
)


def measure(image: Image, result: RunResult) -> dict[str, float]:
    """The numbers of `MEASURES`, by name; programs are counted, times are of this machine."""
    parts = core_images(image)
    pairs = [messages_and_bytes({core: part.program(core) for core in part.cores}) for part in parts]
    sent = [of_pair for found in pairs for of_pair in found.values()]
    ran = result.samples * result.repeat - result.resumed
    seconds = result.run_seconds / ran if ran else 0.0
    return {
        "cores": sum(len(part.cores) for part in parts),
        "crossbars": crossbars_of(image),
        "messages": sum(count for count, _ in sent),
        "bytes": sum(size for _, size in sent),
        "seconds_per_sample": round(seconds, MEASURES["seconds_per_sample"].digits),
    }


def crossbars_of(image: Image) -> int:
    """Physical crossbars in use, bit slices counted."""
    return sum(
        physical_crossbars(part.program(core).groups, part.arch) for part in core_images(image) for core in part.cores
    )
