"""A machine of a run over several, which an agent serves."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from emu.noc.watch.board import Board
from emu.wording import core_name
from launch.machines.handle import AgentHandle
from launch.machines.snapshots import SnapshotReceiver
from launch.processes.observed_memory import Memories, parts_of, put
from launch.processes.orders import ZYGOTE, Orders, ProcessReport, ReportKind, report_of
from launch.processes.other_clock import OtherClock
from launch.processes.status import StoppedProcess
from launch.system.process_state import RunCounts

ANSWER = 1.0  # seconds for the answer to a question; without one, nothing is known
CLOSING = 10.0  # seconds for an agent to end all processes of a run
OBSERVED = 10.0  # seconds for a part of what observers there have written

_numbers = count(1)  # of the runs of this launcher


class RemoteMachine:
    """A `Member` at the other end of the link of `agent`: its host, while that lives, runs what is ordered here.

    Its processes multiply by the way called `products` (empty: as they do by themselves), and find the image at the
    path `image` there (empty: as the orders say).
    """

    def __init__(self, agent: AgentHandle, products: str = "") -> None:
        self.agent, self.name, self.address, self._products = agent, agent.name, agent.facts.address, products
        self.image = ""
        self._run = next(_numbers)
        self._snapshots = SnapshotReceiver(lambda number: agent.send("SNAPSHOT", run=self._run, asked=number))
        self._reports: list[ProcessReport] = []
        self._cores: list[int] = []  # that are forked there
        self._started = self._stopped = self._forgotten = False
        self._whole = True  # whether all was received of what observers had written when they were asked
        self.clock: OtherClock | None = agent.exchange.clock
        agent.on("REPORT", self._reported)
        agent.on("BOARD", self._copied)
        agent.on("STOPPED", self._has_stopped)
        self.status = RemoteStatus(agent, self._run)

    def start(self, orders: Orders) -> None:
        """Start what `orders` give to this machine; what goes wrong there is reported."""
        self._cores, self._started = orders.forked([*orders.programs, *orders.idle]), True
        self._parts = parts_of(orders)
        localised = replace(orders, products=self._products, image=self.image or orders.image)
        self.agent.send("ORDERS", run=self._run, orders=localised.encode())

    @property
    def cpus(self) -> int:
        """How many processors its processes may use, as it says."""
        return self.agent.facts.cpus or 1

    @property
    def memory(self) -> int | None:
        """Bytes that could be had there when it joined, as it says."""
        return self.agent.facts.memory

    @property
    def open_files(self) -> int | None:
        """How many files each of its processes may have open, as it says; None if it tells of no limit."""
        return self.agent.facts.nofile

    @property
    def sources(self) -> Sequence[int]:
        """The descriptor of the link's end."""
        return [self.agent.descriptor]

    def reports(self) -> list[ProcessReport]:
        """New reports, and at last, again and again, that the host is lost; never blocks."""
        self.agent.pump()
        found, self._reports = self._reports, []
        if self.agent.gone:
            found.append(ProcessReport(ReportKind.LOST, ZYGOTE, self.agent.loss(self._cores)))
        return found

    def update(self, board: Board) -> float:
        """Write what the host has told of its cores to `board`, and ask it anew: the time of what is known."""
        self.agent.pump()
        if self._reports or self.agent.gone:
            self.agent.notify()  # whoever waits for reports: they may have come while something else was asked
        return self._snapshots.update(board)

    def gather_into(self, memories: Memories) -> bool:
        """Ask for what observers there have written since the last time, part by part, and write it to `memories`.

        After `close` nothing is asked twice.
        """
        before, self._whole = self._whole, self._forgotten and self._whole
        again = not self._forgotten
        while not (self._whole or self.agent.gone or self._forgotten):
            found = self.agent.ask("observed", OBSERVED, run=self._run, again=again, whole=not before)
            if found is None:
                break
            put(found, memories, self._parts, f"host {self.name}")
            again, self._whole = False, not found
        if self._stopped and not self._forgotten:
            self._forgotten = True
            self.agent.send("FORGET", run=self._run)
        return self._whole

    def close(self) -> None:
        """Have all processes ended, and wait for that unless the host is lost; may be called twice."""
        if not self._started or self._stopped:
            return
        self.agent.send("STOP", run=self._run)
        until = time.monotonic() + CLOSING
        while not (self._stopped or self.agent.gone) and (left := until - time.monotonic()) > 0:
            self.agent.wait(left)
            self.agent.pump()
        self._stopped = True

    def _reported(self, run: int, report: dict[str, Any]) -> None:
        if run == self._run:
            self._reports.append(report_of(report))

    def _copied(self, run: int, **piece: Any) -> None:
        if run == self._run:
            self._snapshots.take(**piece)

    def _has_stopped(self, run: int) -> None:
        self._stopped = self._stopped or run == self._run


class RemoteStatus:
    """A `Status` whose answers come from `agent`, newer than the questions; without an answer nothing is known."""

    def __init__(self, agent: AgentHandle, run: int) -> None:
        self._agent, self._run = agent, run

    def name(self, core: int) -> str:
        """The name of the process of `core`."""
        return core_name(core)

    def processes(self) -> dict[str, int]:
        """The processes that have been identified, by the numbers that they have on their host."""
        return self._ask("processes") or {}

    def forked(self) -> int:
        """How many cores have been forked there."""
        return self._ask("forked") or 0

    def members(self) -> frozenset[str]:
        """The names of all processes there."""
        return frozenset(self._ask("members") or ())

    def stopped(self) -> list[StoppedProcess]:
        """The stopped processes, cores last."""
        return [StoppedProcess(*each) for each in self._ask("stopped") or ()]

    def run_counts(self, cores: Collection[int] | None = None) -> RunCounts | None:
        """A digest of how often each thread of `cores` has run, if all sleep."""
        digest = self._ask("run_counts", cores=None if cores is None else list(cores))
        return None if digest is None else {self._agent.name: digest.hex()}

    def awake(self, names: Collection[str]) -> frozenset[str]:
        """Those of `names` that do not sleep; all of them if nothing is known."""
        answer = self._ask("awake", names=list(names))
        return frozenset(names if answer is None else answer)

    def _ask(self, what: str, **values: Any) -> Any:
        return None if self._agent.gone else self._agent.ask(what, ANSWER, run=self._run, **values)
