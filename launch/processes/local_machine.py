"""The processes of a run on this machine: gives the zygote its orders, reads reports, tears everything down."""

from __future__ import annotations

import mmap
import select
from dataclasses import replace

from emu.noc.watch.board import Board
from launch.processes.local_status import LocalStatus
from launch.processes.orders import MEMORY_NODE, OTHERS, ZYGOTE, Orders, ProcessReport, ReportKind, ReportReader
from launch.processes.zygote_process import ZygoteProcess
from launch.system.memory import resize
from launch.system.process_state import children
from launch.system.run_directory import make_run_directory


class LocalMachine:
    """A zygote and its children, which inherit descriptors: of the board, to which reports go, and `shared` ones."""

    def __init__(self, zygote: ZygoteProcess) -> None:
        """Take over `zygote`, which imports while the launcher reads the image; it ends with this object."""
        self._process = zygote
        self._helpers = {OTHERS[ZYGOTE]: zygote.pid}
        self._reader, self._readable = ReportReader(zygote.receiver), select.poll()
        self._readable.register(zygote.receiver, select.POLLIN)
        try:
            make_run_directory(zygote.directory)  # now that somebody is there to remove it, whatever happens to us
        except BaseException:
            zygote.close()
            raise

    def start(self, orders: Orders) -> None:
        """Start the run that `orders` describe; the fields about the zygote are filled in here."""
        self.idle = len(orders.idle)
        size, zygote = Board.size(len(orders.programs)), self._process
        resize(zygote.memory, size)
        self.board = Board(mmap.mmap(zygote.memory, size), orders.programs)
        self.status = LocalStatus(self.board, self._helpers, lambda: children(zygote.pid))
        complete = replace(
            orders,
            directory=str(zygote.directory),
            parent=zygote.parent,
            board=zygote.number(zygote.memory),
            reports=zygote.number(zygote.sender),
            observers=[(name, values, zygote.number(descriptor)) for name, values, descriptor in orders.observers],
        )
        zygote.give(complete.encode())

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

    def close(self) -> None:
        """End all processes and remove what is left of the run directory; may be called twice."""
        self._process.close()
