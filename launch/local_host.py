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
from launch.process_state import stopped_by
from launch.run_directory import choose_run_directory, make_run_directory
from launch.standard_streams import open_standard_streams
from launch.threads import ONE_THREAD

PATIENCE = 10.0  # seconds for the zygote to end


class LocalHost:
    """A zygote and its children; they share `board` (from the start on), `reports` is what they say.

    A cluster will have one of these per machine, behind an agent.
    """

    def __init__(self, shared: Sequence[int] = (), scratch: str = "") -> None:
        """Start the zygote, which inherits `shared` descriptors: it imports while the launcher looks at the image.

        The run directory is made when the zygote is there to remove it, and `scratch`, whatever happens to us.
        """
        self._memory = os.memfd_create("emu-board", os.MFD_CLOEXEC)
        receiver, self._sender = os.pipe2(os.O_CLOEXEC)
        self.reports = ReportReader(receiver)
        try:
            self._directory = choose_run_directory()
            self._zygote = _start_zygote([self._memory, self._sender, *shared], [str(self._directory), scratch])
        except BaseException:
            os.close(receiver)
            self._close_given()
            raise
        try:
            make_run_directory(self._directory)
        except BaseException:
            self.close()
            raise

    def start(self, orders: Orders) -> None:
        """Start the run that `orders` describe; `directory`, `board` and `reports` in them are filled in here."""
        open_standard_streams()
        self.idle = len(orders.idle)
        size = Board.size(len(orders.programs))
        os.ftruncate(self._memory, size)
        self.board = Board(mmap.mmap(self._memory, size), orders.programs)
        pipe = self._zygote.stdin
        assert pipe is not None
        with contextlib.suppress(BrokenPipeError):  # it died already: the end of its reports tells
            given = replace(orders, directory=str(self._directory), board=self._memory, reports=self._sender)
            pipe.write(given.encode())
            pipe.flush()
        self._close_given()

    def _close_given(self) -> None:
        """Close what only the zygote needs, so that the end of its reports can be seen."""
        for descriptor in (self._memory, self._sender):
            if descriptor >= 0:
                os.close(descriptor)
        self._memory = self._sender = -1

    @property
    def zygote(self) -> int:
        """The zygote's process number."""
        return self._zygote.pid

    def zygote_status(self) -> int:
        """The zygote's exit status once its reports have ended (minus the signal that killed it)."""
        return self._zygote.wait(PATIENCE)

    def close(self) -> None:
        """End all processes and remove what is left of the run directory; may be called twice."""
        # Never started, it need not finish its imports; stopped, it does not see that we want no more.
        if self._memory >= 0 or stopped_by(self._zygote.pid):
            self._zygote.kill()
        self._close_given()
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


def _start_zygote(descriptors: Sequence[int], directories: Sequence[str]) -> subprocess.Popen[bytes]:
    """A fresh interpreter in a session of its own, so that Ctrl-C reaches only the launcher.

    It removes the `directories` at its end.
    """
    home = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "launch.zygote", *directories],
        stdin=subprocess.PIPE,
        pass_fds=descriptors,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": path},
        start_new_session=True,
    )
