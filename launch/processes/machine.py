"""The interfaces of a machine on which the processes of a run are: of the only one, and of one of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from emu.noc.watch.board import Board
from launch.processes.observed_memory import Memories
from launch.processes.observer import ObservedHost
from launch.processes.orders import Orders, ProcessReport
from launch.processes.other_clock import OtherClock
from launch.processes.status import Status


class RunProcesses(Protocol):
    """Starts, observes and stops processes of one run."""

    def start(self, orders: Orders) -> None:
        """Start what `orders` give to this machine: the memory node, which is reported as BOUND, and then cores.

        Never waits.
        """
        ...

    def reports(self) -> list[ProcessReport]:
        """New reports since the last call; never blocks.

        Once the machine cannot start or observe cores any more, every call ends with an EXIT of ZYGOTE.
        """
        ...

    @property
    def sources(self) -> Sequence[int]:
        """Descriptors, one of which is readable when there are `reports`."""
        ...

    @property
    def status(self) -> Status:
        """The states of its processes, from the start on; what it answers was read while it was asked."""
        ...

    def close(self) -> None:
        """End all processes and remove their files; may be called twice."""
        ...


class Machine(RunProcesses, Protocol):
    """All processes of a run, wherever they are: what a supervisor needs."""

    @property
    def board(self) -> Board:
        """The status board of all cores, from the start on; what it says is as old as `refresh` tells."""
        ...

    def refresh(self) -> float:
        """Bring `board` up to date as far as that goes without waiting: a time (of `time.monotonic` in this process).

        Everything that the board says has been read, where it was written, after that time. A machine that must be
        asked is asked by this call, and what it answers comes with a later one, with the time when it was asked.
        """
        ...

    @property
    def memories(self) -> Memories:
        """The memory of each observer of the run, from the start on; what it says is as old as the last `gather`."""
        ...

    @property
    def hosts(self) -> Sequence[ObservedHost]:
        """The machines, from the start on, if these are several; the only one is none of them."""
        ...

    def gather(self) -> None:
        """Bring `memories` up to date; `close` does that, too, once nobody writes there any more."""
        ...


class Member(RunProcesses, Protocol):
    """One machine of a run over several: forks the cores that its orders name as `here`.

    It is called `name` in what people read. Its sockets listen at the IP address `address` (empty: as the orders say).
    It has `cpus` processors and `memory` bytes for them, and their `clock` (None: that of this process).
    """

    name: str
    address: str
    clock: OtherClock | None

    @property
    def cpus(self) -> int:
        """How many processors its processes may use."""
        ...

    @property
    def memory(self) -> int | None:
        """Bytes that can still be had there; None if nobody knows."""
        ...

    def update(self, board: Board) -> float:
        """Write what is known of the cores here, and of the memory node if it is here, to `board`, of all cores.

        Only the words of a `BoardPart` of these cores; the time is that of `Machine.refresh`.
        """
        ...

    def gather_into(self, memories: Memories) -> bool:
        """Write what observers of the cores here have written so far to `memories`: whether that is all of it.

        After `close` it can be asked once more.
        """
        ...
