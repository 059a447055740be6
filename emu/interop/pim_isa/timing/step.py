"""The defining executor: every core cycle by cycle, every operation step by step, any window."""

from __future__ import annotations

from collections.abc import Iterator

from emu.interop.pim_isa.timing.counts import core_counts
from emu.interop.pim_isa.timing.first_come import FirstCome
from emu.interop.pim_isa.timing.kernel import ClockedQueue, Edge, Process
from emu.interop.pim_isa.timing.network import MessageQueues
from emu.interop.pim_isa.timing.result import ExecutorRun
from emu.interop.pim_isa.timing.setup import PimSetup
from emu.interop.pim_isa.timing.step_core import StepCore
from emu.interop.pim_isa.timing.stuck import refuse_stuck
from emu.interop.pim_isa.timing.upstream_order import TIMER_ENDS, UpstreamOrder

MS = 1e9  # picoseconds


def run_step(setup: PimSetup, upstream_order: bool = True) -> ExecutorRun:
    """Run the program; raises ProgramError if its cores wait for each other for ever.

    `upstream_order`: waits that end together end in the order of the simulator's queue (which takes time for every
    edge), else first come, first served.
    """

    def edge(number: int, asked: list[int]) -> Iterator[Process]:
        for core in asked:
            yield from cores[core].edge(number)

    kernel = _kernel(setup, edge) if upstream_order else FirstCome(setup.period, edge)
    network = MessageQueues(kernel, (core.number for core in setup.cores), setup.chip.network, setup.simulator.at_least)
    cores: dict[int, StepCore] = {}
    for core in setup.cores:
        cores[core.number] = StepCore(core, kernel, network, setup.window)
    kernel.run()
    refuse_stuck(setup, network, {core.number: core.at for core in cores.values() if not core.over})
    finish = {number: max(core.finish_edge, 0) * setup.period for number, core in cores.items()}
    counts = {core.number: core_counts(core, cores[core.number].decode.activity) for core in setup.cores}
    return ExecutorRun("step", kernel.ties, finish, counts, network.flits)


def _kernel(setup: PimSetup, edge: Edge) -> ClockedQueue:
    interval = setup.chip.config.sim_config.sim_time / TIMER_ENDS * MS
    return UpstreamOrder(setup.period, edge, int(interval + 0.5) if setup.simulator.timer else 0)
