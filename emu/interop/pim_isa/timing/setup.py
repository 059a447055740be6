"""A program on a chip, checked and with the costs of all operations: what both executors start from."""

from __future__ import annotations

from dataclasses import dataclass

from emu.errors import ProgramError
from emu.interop.pim_isa.format.checks import check_program
from emu.interop.pim_isa.format.config_keys import PimsimChip
from emu.interop.pim_isa.format.program import CoreColumns, PimProgram
from emu.interop.pim_isa.isa import UNIT_OF, among
from emu.interop.pim_isa.timing.costs import OpCosts, op_costs, picoseconds


@dataclass(frozen=True, slots=True)
class Simulator:
    """A public build of the simulator, and in what it differs.

    `at_least`: a wait ends from its value on; `timer`: one that shows progress is in the queue of events; `strict`: it
    refuses programs with more cores or crossbars than the chip has.
    """

    name: str
    source: str
    at_least: bool
    timer: bool
    strict: bool


SIMULATORS = {
    "upstream": Simulator("upstream", "wangxy-2000/pimsim-nn", at_least=False, timer=True, strict=False),
    "fork": Simulator("fork", "HEAPLab/pimsim-nn", at_least=True, timer=False, strict=True),
}


@dataclass(frozen=True, slots=True)
class CoreSetup:
    """One core: its instructions and their costs; `period` in ps, `groups`: array groups; `name` for errors."""

    number: int
    name: str
    columns: CoreColumns
    costs: OpCosts
    groups: int
    period: int
    memory_node: int

    @property
    def ends(self) -> bool:
        """Whether the simulator can see its end: that of an operation, not of a scalar instruction."""
        return self.columns.count == 0 or bool(UNIT_OF[self.columns.op[-1]])


@dataclass(frozen=True, slots=True)
class PimSetup:
    """All cores on a chip; `period` in ps, `window`: operations in flight per core."""

    where: str
    chip: PimsimChip
    simulator: Simulator
    cores: tuple[CoreSetup, ...]
    period: int
    window: int
    warnings: tuple[str, ...]


def set_up(program: PimProgram, chip: PimsimChip, simulator: Simulator) -> PimSetup:
    """Check the program against the chip; raises ProgramError."""
    settings = chip.config.chip_config
    warnings = check_program(program, settings)
    if warnings and simulator.strict:
        raise ProgramError(f"{program.where}: {warnings[0]}: the fork refuses that")
    period, node = picoseconds(settings.core_config.period), settings.core_config.global_memory_switch_id
    cores = tuple(
        CoreSetup(
            core,
            f"{program.where}: core {core}",
            columns,
            op_costs(columns, program.groups[core], settings, f"{program.where}: core {core}"),
            len(program.groups[core]),
            period,
            node,
        )
        for core, columns in program.cores.items()
    )
    if node != settings.global_memory_switch_id and any(among(core.columns.op, "ld", "st").any() for core in cores):
        raise ProgramError(
            f"the configuration names two nodes for the global memory: chip_config.global_memory_switch_id ="
            f" {settings.global_memory_switch_id}, chip_config.core_config.global_memory_switch_id = {node}"
        )
    return PimSetup(program.where, chip, simulator, cores, period, settings.core_config.rob_size, tuple(warnings))
