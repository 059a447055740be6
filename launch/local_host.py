"""The processes of a run on this machine: gives orders to the zygote, reads reports, takes everything down."""

from __future__ import annotations

import mmap
import os
import shutil
from dataclasses import replace

from emu.noc.board import Board
from launch.orders import Orders, ReportReader
from launch.run_directory import make_run_directory
from launch.standard_streams import open_standard_streams
from launch.zygote_process import ZygoteProcess


class LocalHost:
    """A zygote and its children; they share `board` (from the start on), `reports` is what they say.

    A cluster will have one of these per machine, behind an agent.
    """

    def __init__(self, zygote: ZygoteProcess) -> None:
        """Take `zygote` over: it imports while the launcher looks at the image, and ends with this host."""
        self._zygote = zygote
        self.reports = ReportReader(zygote.receiver)
        try:
            self._directory = make_run_directory()
        except BaseException:
            zygote.close()
            raise

    def start(self, orders: Orders) -> None:
        """Start the run that `orders` describe; `directory`, `board` and `reports` in them are filled in here."""
        open_standard_streams()
        self.idle = len(orders.idle)
        size = Board.size(len(orders.programs))
        memory, sender = self._zygote.memory, self._zygote.sender
        os.ftruncate(memory, size)
        self.board = Board(mmap.mmap(memory, size), orders.programs)
        self._zygote.give(replace(orders, directory=str(self._directory), board=memory, reports=sender).encode())

    def zygote_status(self) -> int:
        """The zygote's exit status once its reports have ended (minus the signal that killed it)."""
        return self._zygote.status()

    def close(self) -> None:
        """End all processes and remove what is left of the run directory; may be called twice."""
        self._zygote.close()
        shutil.rmtree(self._directory, ignore_errors=True)
