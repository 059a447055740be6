"""Time a PIM-ISA program: read it and its configuration, run an executor, price what it counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emu.errors import ProgramError
from emu.interop.pim_isa.format.config_keys import PimsimChip, read_chip
from emu.interop.pim_isa.format.program import PimProgram
from emu.interop.pim_isa.format.reader import read_program
from emu.interop.pim_isa.timing.energy import EnergyTotals, priced
from emu.interop.pim_isa.timing.fast import NotForFast, run_fast
from emu.interop.pim_isa.timing.result import ExecutorRun
from emu.interop.pim_isa.timing.setup import SIMULATORS, PimSetup, set_up
from emu.interop.pim_isa.timing.step import run_step
from emu.wording import counted

FEW = 300_000  # instructions that the defining executor takes seconds for
_MS = 1e9  # picoseconds
_SHOWN = 4  # cores in a sentence


@dataclass(frozen=True, slots=True)
class Timed:
    """A program on a chip, what an executor found, and its energy in pJ."""

    setup: PimSetup
    run: ExecutorRun
    energy: EnergyTotals
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values: ps and pJ."""
        run, energy = self.run, self.energy
        return {
            "simulator": self.setup.simulator.name,
            "executor": run.executor,
            "ties": run.ties,
            "window": self.setup.window,
            "instructions": sum(core.columns.count for core in self.setup.cores),
            "latency_ps": run.latency,
            "energy_pj": energy.total,
            "power_mw": energy.total / run.latency * 1000 if run.latency else None,
            "dynamic_pj": energy.dynamic,
            "static_pj": energy.static,
            "cores": [
                {
                    "core": core.number,
                    "instructions": core.columns.count,
                    "finish_ps": run.finish[core.number],
                    "dynamic_pj": energy.by_core[core.number],
                    "counts": dict(run.counts[core.number]),
                }
                for core in self.setup.cores
            ],
            "warnings": list(self.warnings),
        }


def time_program(path: Path, arch: Path, simulator: str = "upstream", executor: str = "auto") -> Timed:
    """Time the program at `path` on the chip of the configuration `arch`; raises ProgramError.

    `executor` is a name of EXECUTORS.
    """
    return time_columns(read_program(path), read_chip(arch), simulator, executor)


def time_columns(program: PimProgram, chip: PimsimChip, simulator: str = "upstream", executor: str = "auto") -> Timed:
    """`time_program` of a program and a configuration that have been read."""
    setup = set_up(program, chip, SIMULATORS[simulator])
    endless = [core.number for core in setup.cores if not core.ends]
    if endless and not setup.simulator.timer:
        raise ProgramError(
            f"{setup.where}: core {endless[0]} ends with a scalar instruction: the fork never sees its end;"
            " let an operation be the last instruction"
        )
    run = EXECUTORS[executor](setup)
    energy = priced(run, chip.config.chip_config, chip.network)
    warnings = (*program.warnings, *chip.warnings, *setup.warnings, *_warnings(setup, run, endless))
    return Timed(setup, run, energy, warnings)


def run_auto(setup: PimSetup) -> ExecutorRun:
    """The simulator's own order for programs of up to FEW instructions; beyond that first come, first served."""
    if sum(core.columns.count for core in setup.cores) <= FEW:
        return run_step(setup)
    try:
        return run_fast(setup)
    except NotForFast:
        return run_step(setup, upstream_order=False)


def _warnings(setup: PimSetup, run: ExecutorRun, endless: list[int]) -> list[str]:
    found: list[str] = []
    if endless:
        names = ", ".join(map(str, endless[:_SHOWN])) + (", ..." if len(endless) > _SHOWN else "")
        found.append(
            f"{counted(len(endless), 'core')} ({names}) with a scalar instruction at the end: the simulator never sees"
            " them finish and counts 0 for them, and so it is here"
        )
    if missing := sorted(run.flits.keys() - setup.chip.network.latency.keys()):
        source, target = missing[0]
        found.append(
            f"the network table has no latency from node {source} to node {target}: such messages take no time"
            f" ({counted(len(missing), 'pair')} of nodes)"
        )
    settings = setup.chip.config.sim_config
    if settings.sim_mode == 0:
        found.append("sim_config.sim_mode is 0 (throughput): computed is the latency of one round, as with sim_mode 1")
    elif setup.simulator.timer and run.latency > settings.sim_time * _MS:
        found.append(
            f"pimsim-nn itself would stop at sim_config.sim_time = {settings.sim_time:g} ms, before the program ends"
        )
    return found


EXECUTORS: dict[str, Callable[[PimSetup], ExecutorRun]] = {"auto": run_auto, "step": run_step, "fast": run_fast}
