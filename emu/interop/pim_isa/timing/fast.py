"""The fast executor, for a window of one operation: from message to message, with sums in between.

With one operation in flight its core's memory port is idle when it starts, so all that needs no other core takes a
number of edges that is known beforehand. What does (sends, receives, loads, stores, events) runs in simulated time, as
in `step.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.errors import InputError
from emu.interop.pim_isa.isa import PimUnit, among
from emu.interop.pim_isa.timing.activity import activity_at_window_one
from emu.interop.pim_isa.timing.costs import OpCosts
from emu.interop.pim_isa.timing.counts import core_counts
from emu.interop.pim_isa.timing.decode import DecodeCounts
from emu.interop.pim_isa.timing.first_come import FirstCome
from emu.interop.pim_isa.timing.kernel import ClockedQueue, Process
from emu.interop.pim_isa.timing.memory import MemoryPort
from emu.interop.pim_isa.timing.network import MessageQueues
from emu.interop.pim_isa.timing.result import ExecutorRun
from emu.interop.pim_isa.timing.setup import CoreSetup, PimSetup
from emu.interop.pim_isa.timing.stuck import refuse_stuck
from emu.interop.pim_isa.timing.units import CostRows, started

_SHARED = ("send", "recv", "ld", "st", "sync", "wait")
_FIRST = 1  # the edge at which an operation before the first one would have ended
_BETWEEN = 2  # edges from the end of an operation to the start of the next, without scalar instructions between


class FastPimCore:
    """One core: `edge` is called where one of its shared operations starts."""

    def __init__(self, setup: CoreSetup, kernel: ClockedQueue, network: MessageQueues) -> None:
        self.number, self.kernel, self.network, self.port = setup.number, kernel, network, MemoryPort()
        self.memory_node, self.period = setup.memory_node, setup.period
        costs = setup.costs
        shared = np.flatnonzero(among(costs.op.astype(np.uint8), *_SHARED))
        self.rows = CostRows(costs, shared)
        ends = private_ends(costs, setup.period)
        starts = ends[shared]
        self._gaps = np.diff(starts, prepend=0).tolist()
        self._rest = int(ends[-1] - starts[-1:].sum()) if len(ends) else 0
        self._next = 0
        self.last_edge = 0  # the end of the last operation
        self._schedule(0)

    @property
    def over(self) -> bool:
        """Whether all operations have ended."""
        return self._next > self.rows.count

    @property
    def at(self) -> int:
        """The instruction that has not ended."""
        return self.rows.index[self._next - 1]

    def edge(self) -> Process:
        """The next shared operation starts."""
        return started(self, self._next - 1)

    def finished(self, row: int, edge: int) -> None:
        """A shared operation has ended."""
        self._schedule(edge)

    def _schedule(self, edge: int) -> None:
        """Go on from the end of an operation: to the start of the next shared one, or to the end."""
        if self._next < self.rows.count:
            self.kernel.at_edge(edge + self._gaps[self._next], self.number)
        else:
            self.last_edge = edge + self._rest
        self._next += 1


def private_ends(costs: OpCosts, period: int) -> np.ndarray:
    """The edge at which each operation would end if the shared ones took no time; where those start (int64)."""
    between = np.diff(costs.index, prepend=-1) - 1 + _BETWEEN
    shared = among(costs.op.astype(np.uint8), *_SHARED)
    return _FIRST + np.cumsum(between + np.where(shared, 0, private_edges(costs, period)))


def private_edges(costs: OpCosts, period: int) -> np.ndarray:
    """Edges from the start of an operation that needs no other core to its end (int64).

    What ends exactly at an edge still counts for it if it began to wait before the clock did, one period ago.
    """
    transfer = costs.unit == PimUnit.TRANSFER
    first = costs.reads * costs.read_ps + np.where(transfer, costs.write_ps, costs.compute_ps)
    second = np.where(transfer, 0, costs.write_ps)
    early = (first % period == 0) & (first > period)
    end = first + second
    in_time = np.where(second > 0, (second > period) | ((second == period) & early), early & transfer)
    edges = end // period + 1 - (in_time & (end % period == 0))
    return edges + (costs.unit == PimUnit.MATRIX)  # a product waits one cycle in front of the array groups


class NotForFast(InputError):
    """A program or window that only the defining executor can run."""


def run_fast(setup: PimSetup) -> ExecutorRun:
    """Run the program; raises ProgramError if its cores wait for each other for ever, or NotForFast."""
    if setup.window != 1:
        raise NotForFast(f"the fast executor is for a rob_size of 1, not {setup.window}: use the executor step")
    activities = {core.number: activity_at_window_one(core.columns) for core in setup.cores}
    depends = [number for number, activity in activities.items() if activity is None]
    if depends:
        raise NotForFast(
            f"{setup.where}: core {depends[0]} has a scalar instruction that reads what it writes two places behind"
            " an operation, so that its results depend on times: use the executor step"
        )

    def edge(number: int, asked: list[int]) -> Iterator[Process]:
        return (cores[core].edge() for core in asked)

    kernel = FirstCome(setup.period, edge)
    network = MessageQueues(kernel, (core.number for core in setup.cores), setup.chip.network, setup.simulator.at_least)
    cores = {core.number: FastPimCore(core, kernel, network) for core in setup.cores}
    kernel.run()
    refuse_stuck(setup, network, {core.number: core.at for core in cores.values() if not core.over})
    finish = {
        core.number: (cores[core.number].last_edge + 1) * setup.period if core.columns.count and core.ends else 0
        for core in setup.cores
    }
    counts = {core.number: core_counts(core, activities[core.number] or DecodeCounts()) for core in setup.cores}
    return ExecutorRun("fast", kernel.ties, finish, counts, network.flits)
