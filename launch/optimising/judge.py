"""The judge of a search: figures of `emu time` and `emu info`, for programs that are not written, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from emu.image.manifest import Manifest
from emu.image.reader import Image
from emu.noc.ports.port import FlowControl
from emu.noc.traffic.topology import topology_of
from emu.noc.traffic.traffic import traffic
from launch.timing.energy import energy_report
from launch.timing.peak import peak_of, peak_values
from launch.timing.timed_image import SAMPLES, TimedImage, time_programs

if TYPE_CHECKING:
    from compiler.search.figures import Judge, SampleFigures
    from emu.arch import Arch
    from emu.program.program import Program


def _energy(timed: TimedImage) -> float | None:
    """pJ of a sample in the steady state."""
    energy = energy_report(timed)
    return energy and energy.dynamic_pj + energy.static_pj(timed.period)


def _peak_power(timed: TimedImage) -> float | None:
    """mW of the chip at the moment of the most, static power with it."""
    return peak_values(timed, peak_of(timed))["power_mw"]


# By field of `SampleFigures`: all that is known of programs in time. A new figure is a row.
MEASURES: Mapping[str, Callable[[TimedImage], float | None]] = {
    "latency_ps": lambda timed: timed.timing.latency,
    "period_ps": lambda timed: timed.period,
    "energy_pj": _energy,
    "peak_power_mw": _peak_power,
}
ON_DEMAND = {"peak_power_mw"}  # takes as long as all others together, and may be too much to follow


def judge_on(chip: Arch, flow: FlowControl, figure: str = "", samples: int = SAMPLES) -> Judge:
    """A judge of programs for `chip`; of one without a table [timing] it knows bytes only.

    What is known on demand only is told if it is the `figure` that is asked for.
    """
    from compiler.search.figures import SampleFigures

    wanted = [name for name in MEASURES if name not in ON_DEMAND or name == figure]
    mesh, image = topology_of(chip), Image(Path(), Manifest(chip, (), (), (), 0))

    def judge(programs: Mapping[int, Program]) -> SampleFigures:
        sent = traffic(programs)
        measured: dict[str, float | None] = {}
        if chip.timing is not None:
            timed = time_programs(image, programs, chip, flow, samples)
            measured = {name: MEASURES[name](timed) for name in wanted}
        hops = sum(nbytes * mesh.hops(*pair) for pair, nbytes in sent.items())
        return SampleFigures(bytes_sent=sum(sent.values()), byte_hops=hops, **measured)  # type: ignore[arg-type]

    return judge
