"""Small programs with costs given by hand, for closed forms of time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from emu.arch import Arch
from emu.isa.table import LOOP
from emu.noc.traffic.topology import Mesh
from emu.program.program import Program
from emu.replay.core_view import CoreView, SectionView
from emu.timing.model.costs import WHOLE, Costs
from emu.timing.model.section_costs import unit_numbers
from emu.timing.network.network import NetworkTimes
from emu.timing.setup import Setup, TimedCore, TimedSection

ARCH = Arch(cores=16)
NOTHING = {"issue": 0, "read": 0, "compute": 0, "interval": WHOLE, "write": 0, "wire": 0, "service": 0}
By = Mapping[str, Mapping[str, int]]  # costs by the name of the instruction


def costs(view: SectionView, by_name: By) -> Costs:
    """Costs of the instructions by name; what is not named costs nothing."""
    rows = []
    for index in range(len(view.section)):
        rows.append({**NOTHING, **by_name.get(view.section.instr(index).spec.name, {})})
        if view.section.columns["op"][index] == LOOP:
            rows[-1] = NOTHING
    columns = {key: np.array([row[key] for row in rows], np.int64) for key in NOTHING}
    return Costs(unit_numbers(view), **columns, counts={})


def network(**changes) -> NetworkTimes:
    """A row of cores, 10 ps per hop, flits 2 ps apart."""
    values = {"mesh": Mesh(16), "base": 0, "hop": 10, "flit": 2, "flit_bytes": 4}
    return NetworkTimes(**values | changes)


def setup(programs: Mapping[int, Program], by_name: By, links: NetworkTimes | None = None, **changes) -> Setup:
    """What executors need; window 1, one port each, rendezvous, unless `changes` say otherwise."""
    cores = {
        core: TimedCore(
            code,
            {name: TimedSection(view, costs(view, by_name)) for name, view in CoreView(code, ARCH).sections.items()},
        )
        for core, code in programs.items()
    }
    values = {"window": 1, "local_ports": 1, "memory_ports": 1, "network": links or network(), "credits": 0}
    return Setup(cores, **values | changes)
