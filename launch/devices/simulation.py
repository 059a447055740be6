"""The cost of a session on the chip: simulated time and energy of its recorded programs, and wear of its cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emu.image.reader import Image
from emu.noc.ports.port import FlowControl
from launch.devices.recording import DeviceRecording
from launch.text.units import energy_text, time_text
from launch.timing.energy import energy_report
from launch.timing.timed_image import time_programs
from launch.timing.wear import Wear, wear_of, wear_on

PLACE = Path("the session")  # what errors call the image that nobody has written


@dataclass(frozen=True, eq=False)
class Simulation:
    """`time_ps` is None on a chip that says nothing of its times, `energy_pj` (dynamic, and static of that time) of its
    energies; `by_component` is the dynamic part. `wear` is None if no crossbar was written.

    The host takes no time: what it waits for before its next call is all that is known of it.
    """

    time_ps: int | None
    energy_pj: float | None
    by_component: Mapping[str, float]
    wear: Wear | None

    @property
    def lifetime_years(self) -> float | None:
        """How long the written crossbars last if sessions like this one follow each other."""
        return self.wear.lifetime_years if self.wear else None

    def lines(self) -> list[str]:
        """The figures that are known, as lines."""
        costs = [] if self.time_ps is None else [f"simulated time {time_text(self.time_ps)}"]
        costs += [] if self.energy_pj is None else [f"energy {energy_text(self.energy_pj)}"]
        return [*([", ".join(costs)] if costs else []), *([self.wear.line()] if self.wear else [])]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "time_ps": self.time_ps,
            "energy_pj": self.energy_pj,
            "energy_by_component_pj": dict(self.by_component),
            "wear": self.wear and self.wear.to_dict(),
        }


def simulate(recording: DeviceRecording) -> Simulation:
    """Time the programs of a session on its chip."""
    manifest, programs = recording.manifest, recording.programs
    if manifest.arch.timing is None or not programs:
        return Simulation(None, None, {}, wear_on(programs, manifest.arch, None))
    timed = time_programs(Image(PLACE, manifest), programs, manifest.arch, FlowControl(), samples=1)
    time, energy = timed.timing.latency, energy_report(timed)
    if energy is None:
        return Simulation(time, None, {}, wear_of(timed))
    return Simulation(time, energy.dynamic_pj + energy.static_pj(time), energy.by_component, wear_of(timed))
