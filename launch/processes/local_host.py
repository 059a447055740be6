"""The processes of a run on this machine: gives orders to the zygote, reads reports, takes everything down."""

from __future__ import annotations

import mmap
from dataclasses import replace

from emu.noc.watch.board import Board
from launch.processes.orders import Orders, ReportReader
from launch.processes.zygote_process import ZygoteProcess
from launch.system.run_directory import make_run_directory
from launch.system.shared_memory import resize


class LocalHost:
    """A zygote and its children; they share `board` (from the start on), `reports` is what they say.

    A cluster will have one of these per machine, behind an agent.
    """

    def __init__(self, zygote: ZygoteProcess) -> None:
        """Take `zygote` over: it imports while the launcher looks at the image, and ends with this host."""
        self._process = zygote
        self.reports = ReportReader(zygote.receiver)
        try:
            make_run_directory(zygote.directory)  # now that somebody is there to remove it, whatever happens to us
        except BaseException:
            zygote.close()
            raise

    def start(self, orders: Orders) -> None:
        """Start the run that `orders` describe; `directory`, `board` and `reports` in them are filled in here."""
        self.idle = len(orders.idle)
        size = Board.size(len(orders.programs))
        memory, sender = self._process.memory, self._process.sender
        resize(memory, size)
        self.board = Board(mmap.mmap(memory, size), orders.programs)
        self._process.give(
            replace(orders, directory=str(self._process.directory), board=memory, reports=sender).encode()
        )

    @property
    def zygote(self) -> int:
        """The zygote's process number."""
        return self._process.pid

    @property
    def exit(self) -> int:
        """A descriptor that becomes readable when the zygote ends; -1 if there is none."""
        return self._process.exit

    @property
    def zygote_ended(self) -> bool:
        """Whether the zygote has ended."""
        return self._process.has_ended() or self.reports.ended

    def zygote_status(self) -> int:
        """The zygote's exit status once its reports have ended (minus the signal that killed it)."""
        return self._process.status()

    def close(self) -> None:
        """End all processes and remove what is left of the run directory; may be called twice."""
        self._process.close()
