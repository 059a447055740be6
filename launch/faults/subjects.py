"""What runs while a fault is made: traffic of `emu stress`, and rings that trap or deadlock after some rounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from emu.arch import Arch
from emu.image.manifest import Manifest
from emu.image.writer import ImageWriter
from emu.isa.address import Address
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from emu.stress.programs import START, STATUS, write_workload
from emu.stress.workload import Workload, make_workload
from launch.chips.chip import Chip

SIZE = 64  # bytes of a message
UNDEFINED = 1 << 12  # address of local bytes that nobody writes
SAMPLE_MESSAGES = 2000  # of one sample of traffic, roughly


@dataclass(frozen=True, slots=True)
class RingTraffic:
    """A ring of verified messages, one sample after the other."""

    image: Path
    workload: Workload

    def samples(self, chip: Chip) -> Iterator[int]:
        """Run samples without end; yields the number of cores whose report of a sample was wrong."""
        sample = 0
        while True:
            start = np.array([[self.workload.first_number(sample)]], np.int32)
            status = chip.run({START: start})[STATUS].reshape(-1, 3)
            yield int((status != self.workload.expected(sample)).any(axis=1).sum())
            sample += 1


@dataclass(frozen=True, slots=True)
class FailingRing:
    """A ring of messages that ends in a fault during its first sample."""

    image: Path

    def samples(self, chip: Chip) -> Iterator[int]:
        """Run the one sample, which fails."""
        chip.run({})
        yield 0


Subject = RingTraffic | FailingRing


def traffic(folder: Path, cores: int) -> RingTraffic:
    """The traffic of all trials on `cores` cores; its image is made once."""
    workload = make_workload("ring", cores, str(SIZE), max(1, SAMPLE_MESSAGES // cores))
    image = folder / "traffic"
    if not image.exists():
        write_workload(image, workload)
    return RingTraffic(image, workload)


def trapping_ring(folder: Path, cores: int, victim: int, rounds: int) -> FailingRing:
    """After `rounds` rounds `victim` sends bytes that nobody has written."""
    return _ring(folder / f"trap_{victim}_{rounds}", cores, rounds, victim)


def deadlocking_ring(folder: Path, cores: int, rounds: int) -> FailingRing:
    """After `rounds` rounds all cores receive before they send."""
    return _ring(folder / f"deadlock_{rounds}", cores, rounds, None)


def _ring(image: Path, cores: int, rounds: int, victim: int | None) -> FailingRing:
    if not image.exists():
        with ImageWriter(image) as writer:
            for core in range(cores):
                writer.add_core(_program(core, cores, rounds, victim), ())
            writer.finish(Manifest(Arch(name="ring", cores=cores), (), (), (), 0))
    return FailingRing(image)


def _program(core: int, cores: int, rounds: int, victim: int | None) -> Program:
    """`rounds` good rounds, then one in which `victim` sends undefined bytes; without a victim, nobody sends first."""
    main = SectionBuilder()
    main.emit("lldi", (), [Address(0)], byte=core % 256, size=2 * SIZE)
    with main.loop(rounds):
        _exchange(main, core, cores, core == 0, 0)
    _exchange(main, core, cores, victim is not None and core == 0, UNDEFINED if core == victim else 0)
    main.emit("halt")
    return Program(core, main=main.finish())


def _exchange(main: SectionBuilder, core: int, cores: int, send_first: bool, address: int) -> None:
    """Send from `address` to the next core and receive from the one before, in either order."""
    steps = (("send", (core + 1) % cores, address), ("recv", (core - 1) % cores, SIZE))
    for name, peer, place in steps if send_first else steps[::-1]:
        main.emit(name, (), [Address(place)], core=peer, size=SIZE)
