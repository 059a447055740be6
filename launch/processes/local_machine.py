"""The processes of a run on this machine: gives the zygote its orders, reads reports, tears everything down."""

from __future__ import annotations

import mmap
import os
import select
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from emu.noc.watch.board import Board
from launch.processes.local_status import LocalStatus
from launch.processes.observed_memory import Memories, ObservedMemory
from launch.processes.observer import ObservedHost
from launch.processes.orders import MEMORY_NODE, OTHERS, ZYGOTE, Orders, ProcessReport, ReportKind, ReportReader
from launch.processes.other_clock import OtherClock
from launch.processes.zygote_process import ZygoteProcess
from launch.system.process_limits import available_memory
from launch.system.process_state import children
from launch.system.run_directory import make_run_directory
from launch.system.tcp_queues import sending

if TYPE_CHECKING:
    from emu.noc.watch.part import BoardPart


class LocalMachine:
    """A zygote and its children, which inherit the memory of the board and the pipe to which reports go.

    In a run over several machines it has a `name`, and its sockets listen at `address` (empty: as the orders say).
    """

    clock: OtherClock | None = None

    def __init__(self, zygote: ZygoteProcess, name: str = "", address: str = "") -> None:
        """Take over `zygote`, which imports while the launcher reads the image; it ends with this object."""
        self._process, self.name, self.address = zygote, name, address
        self._helpers = {OTHERS[ZYGOTE]: zygote.pid}
        self._part: BoardPart | None = None
        self._reader, self._readable = ReportReader(zygote.receiver), select.poll()
        self._readable.register(zygote.receiver, select.POLLIN)
        try:
            make_run_directory(zygote.directory)  # now that somebody is there to remove it, whatever happens to us
        except BaseException:
            zygote.close()
            raise

    def start(self, orders: Orders) -> None:
        """Start what this machine forks of the run that `orders` describe; fields about the zygote are filled in here.

        Orders that give an address to listen at keep it.
        """
        self._orders = orders
        zygote = self._process
        self.observed = ObservedMemory(orders, zygote.memory)
        self.board = Board(mmap.mmap(zygote.memory, Board.size(len(orders.programs))), orders.programs)
        self.board.hang_bells()
        self.status = LocalStatus(
            self.board,
            self._helpers,
            lambda: children(zygote.pid),
            node=not orders.node,
            sending=None if orders.here is None else sending,
        )
        complete = replace(
            orders,
            directory=str(zygote.directory),
            parent=zygote.parent,
            board=zygote.number(zygote.memory),
            reports=zygote.number(zygote.sender),
        )
        zygote.give(complete.encode())

    @property
    def cpus(self) -> int:
        """How many processors its processes may use."""
        return len(os.sched_getaffinity(0))

    @property
    def memory(self) -> int:
        """Bytes that can still be had here."""
        return available_memory()

    @property
    def sources(self) -> list[int]:
        """The pipe of reports, and the descriptor that signals the zygote's end where the system has one."""
        return [descriptor for descriptor in (self._reader.descriptor, self._process.exit) if descriptor >= 0]

    def reports(self) -> list[ProcessReport]:
        """New reports of processes, and at last that the zygote has ended; never blocks."""
        ended = self._process.has_ended()  # checked first: its earlier reports are in the pipe
        reports = list(self._reader.read()) if self._readable.poll(0) else []
        for report in reports:
            if report.event is ReportKind.BOUND:
                self._helpers[OTHERS[MEMORY_NODE]] = report.process
        if ended or self._reader.ended:
            reports.append(ProcessReport(ReportKind.EXIT, ZYGOTE, status=self._process.status()))
        return reports

    def refresh(self) -> float:
        """The board is the memory that the cores write: what is read there is newer than this call."""
        return time.monotonic()

    def update(self, board: Board) -> float:
        """Copy what the cores here (and the memory node, if it is here) have written to `board`, of the whole run."""
        now = time.monotonic()
        if self._part is None:
            self._part = part_of(self._orders, self.board)
        board.flat[self._part.words] = self._part.read()
        return now

    @property
    def memories(self) -> Memories:
        """The memory that the observers here write."""
        return self.observed.memories

    def gather(self) -> None:
        """What observers write is read where they write it."""

    @property
    def hosts(self) -> Sequence[ObservedHost]:
        """It is the only machine."""
        return ()

    def gather_into(self, memories: Memories) -> bool:
        """Copy what the observers of the cores here have written to `memories`, of the whole run."""
        for observer, at, data in self.observed.pieces():
            memory = memories[observer]
            assert memory is not None
            memory[at : at + len(data)] = data
        return True

    def close(self) -> None:
        """End all processes and remove what is left of the run directory; may be called twice."""
        self._process.close()


def part_of(orders: Orders, board: Board) -> BoardPart:
    """What the processes that a machine forks by `orders` write to `board`; reads the programs of its cores."""
    from emu.image.reader import open_image
    from emu.noc.traffic.traffic import peers_of
    from emu.noc.watch.part import BoardPart

    cores = orders.forked(orders.programs)
    image = open_image(Path(orders.image), verify=False) if cores else None  # verified by whoever made the orders
    peers = {core: peers_of(image.program(core)) for core in cores} if image else {}
    return BoardPart(board, peers, node=not orders.node)
