"""Simulated time beside real time: the first sample on a chip, stretched to the length of a sample of the run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from emu.arch.read import load_arch
from emu.errors import ArchError, option
from emu.noc.ports.port import FlowControl
from launch.timing.timed_image import read_programs, time_programs
from launch.timing.trace import in_ns, tracks
from launch.tracing.model import Part
from launch.tracing.recording import Beside


def simulated(out: Path, chip: str | None, flow: str) -> Beside:
    """Time the image `out` on `chip`, None for its own; what this gives needs the place of a sample of the run.

    Raises ArchError or ProgramError for what cannot be timed.
    """
    image, programs = read_programs(out)
    arch = image.arch if chip is None else load_arch(chip)
    if arch.timing is None:
        raise ArchError(
            f"{arch.title} has no table [timing], so nothing is known of its times: name a chip that has one, such as"
            f" {option('beside', 'puma')}"
        )
    timed = time_programs(image, programs, arch, FlowControl.parse(flow), samples=1)
    latency = max(1, timed.timing.latency)

    def parts(sample: tuple[int, int] | None) -> Iterable[Part]:
        begin, length = sample or (0, in_ns(latency))
        slower = length / in_ns(latency) if in_ns(latency) else 1.0
        group = f"simulated time on {timed.chip.name}, {slower:,.4g} times as slow"
        return tracks(timed, lambda ps: begin + ps * length // latency, (group,))

    return parts
