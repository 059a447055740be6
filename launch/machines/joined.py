"""Several machines as one: the memory node is on the first of them, and each core of the run on one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from emu.errors import InputError, option
from emu.noc.watch.board import Board
from emu.noc.wire.transports import Transport, first_transport
from launch.machines.joined_status import JoinedStatus
from launch.processes.machine import Member
from launch.processes.observed_memory import private_memories
from launch.processes.observer import ObservedHost
from launch.processes.orders import Orders, ProcessReport, ReportKind


class JoinedMachine:
    """A `Machine`: the memory node, and the first of `cores`, are on `local`, the others in their order on `others`.

    `cores` are, for each machine, those that it forks, idle ones among them. Machines see each other's sockets, but
    neither memory nor processes: what `board` says of the cores of a machine is a copy, and the names of processes say
    where they are.
    """

    def __init__(self, local: Member, others: Sequence[Member], cores: Sequence[Sequence[int]]) -> None:
        self._members = [local, *others]
        self._waiting = list(zip(self._members, cores, strict=True))  # to be started, in this order
        self._started: list[Member] = []
        self.hosts = [ObservedHost(member.name, list(here), member.clock) for member, here in self._waiting]
        self.status = JoinedStatus()

    def start(self, orders: Orders) -> None:
        """Start the memory node and the cores beside it; the other machines start once it can be reached."""
        self._orders, self.board = orders, Board.private(orders.programs)
        self.memories = private_memories([row for _, _, row in orders.observers], len(orders.programs))
        self._start_next("")

    def _start_next(self, node: str) -> None:
        """Start a machine, given the endpoint of the memory node if it is elsewhere."""
        orders, (member, here) = self._orders, self._waiting.pop(0)
        options = replace(orders.options, bind=member.address or orders.options.bind)
        member.start(replace(orders, options=options, here=list(here), node=node))
        self._started.append(member)
        self.status.add(member.name, member.status, here)

    @property
    def sources(self) -> list[int]:
        """Descriptors, one of which is readable when a machine has reports."""
        return [source for member in self._members for source in member.sources]

    def reports(self) -> list[ProcessReport]:
        """New reports of all machines, which say from which they are; never blocks."""
        found = [_of(member, report) for member in self._members for report in member.reports()]
        for report in found:
            while self._waiting and report.event is ReportKind.BOUND:
                self._start_next(report.text)
        return found

    def refresh(self) -> float:
        """Copy what is known of each machine to `board`; the time is that of the machine that is known longest."""
        return min(member.update(self.board) for member in self._started)

    def gather(self) -> None:
        """Copy what the observers of all machines have written to `memories`."""
        if any(self.memories):
            for host, member in zip(self.hosts, self._started, strict=False):  # some may not have started
                host.whole = member.gather_into(self.memories)

    def close(self) -> None:
        """End all processes of all machines, and gather what they wrote; may be called twice."""
        with ExitStack() as stack:
            if self._started:
                stack.callback(self.gather)
            for member in self._members:
                stack.callback(member.close)


def _of(member: Member, report: ProcessReport) -> ProcessReport:
    """`report`, as it is to be understood where other machines are."""
    text = report.text
    if report.event is ReportKind.ERROR and member.name:
        text = f"on host {member.name}: {text}"
    return replace(report, text=text, machine=member.name)


def refuse_apart(transport: Transport) -> None:
    """Raise InputError if `transport` does not reach other machines."""
    if not transport.network:
        raise InputError(
            f"cores on several machines need a network: add {option('transport', first_transport(network=True))}"
        )
