"""All that is known of an image in time, as one object: what tables, JSON and CSV are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from emu.timing.basis.result import Cause
from emu.timing.changes import FREE, ChipChanges
from emu.timing.chip.product import model_of
from emu.timing.chip.sums import levels
from emu.timing.countable import BETWEEN_CHIPS
from emu.timing.prepare import absent
from launch.images.idle import Idle, idle_of
from launch.timing.energy import EnergyReport, energy_report
from launch.timing.timed_image import TimedImage, period_of
from launch.timing.wear import Wear, wear_of
from launch.timing.what_if import retimed
from launch.timing.work import NodeWork, UnitWork, busiest, node_work, unit_work


@dataclass(frozen=True, slots=True)
class CoreReport:
    """A core: when it ends the first sample, what its units do and what it waits for, per sample."""

    core: int
    end_ps: int
    blocked_ps: Mapping[str, int]
    dynamic_pj: float | None


@dataclass(frozen=True, slots=True)
class PeerWait:
    """How long a core waits per sample for a peer to send, or to take what it sends."""

    core: int
    cause: str
    peer: int
    ps: int


@dataclass(frozen=True, eq=False)
class TimingReport:
    """An image on a chip. `without_communication` is on a chip whose network takes no time.

    `missing` are figures without which what they stand for takes no time; `areas` are mm2 of the chip's components.
    `steady`: after how many samples their times come again, so that more of them would not change it; 0: not yet.
    """

    timed: TimedImage
    model: str
    source: str
    steady: int
    without_communication: TimedImage
    energy: EnergyReport | None
    area_mm2: float | None
    cores: tuple[CoreReport, ...]
    nodes: tuple[NodeWork, ...]
    units: tuple[UnitWork, ...]
    busiest: UnitWork | None
    blocked_ps: Mapping[str, int]
    waits: tuple[PeerWait, ...]
    missing: tuple[str, ...]
    wear: Wear | None
    idle: Idle | None

    @property
    def latency_ps(self) -> int:
        """Of the first sample."""
        return self.timed.timing.latency

    @property
    def run_ps(self) -> int:
        """Of all samples together."""
        return self.timed.timing.main.end - self.timed.timing.main.begin

    @property
    def period_ps(self) -> int:
        """Per sample at the end of the run."""
        return self.timed.period

    def static_pj(self, ps: int) -> float:
        """pJ of the static power of the cores in use over so many ps."""
        return self.energy.static_pj(ps) if self.energy else 0.0

    @property
    def power_mw(self) -> float | None:
        """Average power of the cores in use in the steady state, static and dynamic."""
        if self.energy is None or not self.period_ps:
            return None
        return self.energy.dynamic_pj / self.period_ps * 1000 + sum(self.energy.static.used.values())


def make_report(timed: TimedImage) -> TimingReport:
    """The report of a timed image."""
    energy, units, timing = energy_report(timed), unit_work(timed), timed.timing
    samples, main = timed.samples, timing.main
    model = model_of(timed.chip)
    cores = tuple(
        CoreReport(
            core,
            int(main.ends[place, 0]) - main.begin,
            _causes(main.blocked[place].tolist(), samples),
            energy.by_core[core] if energy else None,
        )
        for place, core in enumerate(timing.cores)
    )
    waits = sorted(main.waits.items(), key=lambda item: (-item[1], item[0]))
    return TimingReport(
        timed,
        model.name,
        model.source,
        period_of(timing)[1],
        retimed(timed, ChipChanges({"network": FREE, BETWEEN_CHIPS: FREE})),
        energy,
        levels(timed.chip)[-1].mm2,
        cores,
        tuple(node_work(timed)),
        tuple(units),
        busiest(units),
        _causes(main.blocked.sum(axis=0).tolist(), samples),
        tuple(PeerWait(core, cause.name.lower(), peer, ps // samples) for (core, cause, peer), ps in waits),
        tuple(absent(timed.chip)),
        wear_of(timed),
        idle_of(timed.image.manifest, timed.chip, len(timed.programs)),
    )


def _causes(blocked: list[int], samples: int) -> dict[str, int]:
    return {cause.name.lower(): ps // samples for cause, ps in zip(Cause, blocked, strict=True) if ps}
