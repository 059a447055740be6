"""The processes of a run on this machine: starts the zygote, reads reports, takes everything down."""

from __future__ import annotations

import contextlib
import mmap
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from emu.noc.board import Board
from launch.orders import Orders, ReportReader
from launch.run_directory import make_run_directory
from launch.threads import ONE_THREAD

PATIENCE = 10.0  # seconds for the zygote to end


class LocalHost:
    """A zygote and its children; `board` is shared with them, `reports` is what they say.

    A cluster will have one of these per machine, behind an agent.
    """

    def __init__(self, orders: Orders) -> None:
        """Start the run that `orders` describe; `directory`, `board` and `reports` in them are filled in here."""
        self.idle = len(orders.idle)
        size = Board.size(len(orders.programs))
        memory = os.memfd_create("emu-board", os.MFD_CLOEXEC)
        receiver, sender = os.pipe2(os.O_CLOEXEC)
        try:
            os.ftruncate(memory, size)
            self.board = Board(mmap.mmap(memory, size), orders.programs)
            self.reports = ReportReader(receiver)
            self._directory = make_run_directory()
            shared = [memory, sender, *([orders.meter] if orders.meter >= 0 else [])]
            self._zygote = _start_zygote(shared, self._directory)
        except BaseException:
            os.close(receiver)
            raise
        finally:
            os.close(memory)
            os.close(sender)
        self._give(replace(orders, directory=str(self._directory), board=memory, reports=sender))

    def _give(self, orders: Orders) -> None:
        pipe = self._zygote.stdin
        assert pipe is not None
        with contextlib.suppress(BrokenPipeError):  # it died already: the end of its reports tells
            pipe.write(orders.encode())
            pipe.flush()

    def zygote_status(self) -> int:
        """The zygote's exit status once its reports have ended (minus the signal that killed it)."""
        return self._zygote.wait(PATIENCE)

    def close(self) -> None:
        """End all processes and remove what is left of the run directory; may be called twice."""
        if self.reports.descriptor >= 0:
            os.close(self.reports.descriptor)
            self.reports.descriptor = -1
        with contextlib.suppress(BrokenPipeError):
            if self._zygote.stdin is not None:
                self._zygote.stdin.close()
        try:
            self._zygote.wait(PATIENCE)
        except subprocess.TimeoutExpired:  # its children die with it
            self._zygote.kill()
            self._zygote.wait()
        shutil.rmtree(self._directory, ignore_errors=True)


def _start_zygote(descriptors: Sequence[int], directory: Path) -> subprocess.Popen[bytes]:
    """A fresh interpreter in a session of its own, so that Ctrl-C reaches only the launcher."""
    home = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "launch.zygote"],
            stdin=subprocess.PIPE,
            pass_fds=descriptors,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": path},
            start_new_session=True,
        )
    except BaseException:
        directory.rmdir()
        raise
