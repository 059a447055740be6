"""An image on a chip under a flow: programs with their costs, and the times that the executor found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from emu.arch import Arch
from emu.arch.read import load_arch
from emu.errors import ArchError, option
from emu.image.reader import Image, open_image
from emu.image.segments import refuse_segments
from emu.noc.ports.port import FlowControl
from emu.program.program import Program
from emu.timing.basis.result import Timing
from emu.timing.fast.fast import fast
from emu.timing.prepare import prepare
from emu.timing.setup import Setup
from launch.timing.fit import refuse_misfit
from launch.timing.steady import time_per_sample

SAMPLES = 8  # enough that the pipelines of most networks are filled


@dataclass(frozen=True, eq=False)
class TimedImage:
    """The programs of `image` on `chip`, and how so many samples went."""

    image: Image
    programs: Mapping[int, Program]
    chip: Arch
    flow: FlowControl
    samples: int
    setup: Setup
    timing: Timing

    @property
    def period(self) -> int:
        """Picoseconds per sample at the end of the run."""
        return period_of(self.timing)[0]


def period_of(timing: Timing) -> tuple[int, int]:
    """As `time_per_sample`."""
    return time_per_sample([timing.main.begin, *timing.main.sample_ends.tolist()])


def time_image(path: Path, arch: str | None, flow: FlowControl, samples: int = SAMPLES) -> TimedImage:
    """Time the image at `path` on the chip `arch`, a preset or a file; without it on the one that it was compiled for.

    Raises ArchError or ProgramError for what cannot be timed.
    """
    image, programs = read_programs(path)
    chip = image.arch if arch is None else load_arch(arch)
    return time_programs(image, programs, chip, flow, samples)


def read_programs(path: Path) -> tuple[Image, dict[int, Program]]:
    """The image at `path` and its programs by core; raises InputError."""
    image = open_image(path)
    refuse_segments(image)
    return image, {core: image.program(core) for core in image.cores}


def time_programs(
    image: Image, programs: Mapping[int, Program], chip: Arch, flow: FlowControl, samples: int = SAMPLES
) -> TimedImage:
    """Time programs that have been read."""
    if chip.timing is None:
        raise ArchError(
            f"{chip.title} has no table [timing], so nothing is known of its times: name a chip that has one, such as"
            f" {option('arch', 'puma')}, isaac or pimsim-latency"
        )
    if chip != image.arch:
        refuse_misfit(programs, image.arch, chip)
    setup = prepare(programs, chip, flow, samples)
    return TimedImage(image, programs, chip, flow, samples, setup, fast(setup, samples))
