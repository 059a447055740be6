"""The zygote, seen from the process that starts it; imports little, so that it can start before anything else."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from launch.system.allocator import KEEP_MEMORY
from launch.system.cleanup import Cleaning
from launch.system.process_limits import no_process
from launch.system.process_state import stopped_by
from launch.system.run_directory import choose_run_directory
from launch.system.threads import ONE_THREAD

PATIENCE = 10.0  # seconds for the zygote to end


class ZygoteProcess:
    """A fresh interpreter that imports what cores need and waits for orders at `pipe`.

    `memory` is an empty memory file for the status board and `sender` the end of `receiver`, a pipe, to which reports
    go; the zygote has inherited both, and the descriptors `shared`. At its end it removes `directory`, which its owner
    may make for the sockets of the run, and the directory `scratch`, even if this process is killed.
    """

    def __init__(self, shared: Sequence[int] = (), scratch: str = "") -> None:
        self.directory = choose_run_directory()
        self.memory = os.memfd_create("emu-board", os.MFD_CLOEXEC)
        self.receiver, self.sender = os.pipe2(os.O_CLOEXEC)
        try:
            with no_process("the run"):
                self._process = _start([self.memory, self.sender, *shared], [str(self.directory), scratch])
        except BaseException:
            self.close_given()
            self.close_receiver()
            raise
        self.started = False  # whether orders were given
        self.exit = _exit_descriptor(self.pid)

    @property
    def pid(self) -> int:
        """The process number."""
        return self._process.pid

    def give(self, orders: bytes) -> None:
        """Let a run begin; what only the zygote needs is closed, so that the end of its reports can be seen."""
        self.started = True
        pipe = self._process.stdin
        assert pipe is not None
        with contextlib.suppress(BrokenPipeError):  # it died already: the end of its reports tells
            pipe.write(orders)
            pipe.flush()
        self.close_given()

    def close_given(self) -> None:
        """Close what the zygote has inherited."""
        for descriptor in (self.memory, self.sender):
            if descriptor >= 0:
                os.close(descriptor)
        self.memory = self.sender = -1

    def close_receiver(self) -> None:
        """Close the reading end of the reports."""
        if self.receiver >= 0:
            os.close(self.receiver)
            self.receiver = -1

    def has_ended(self) -> bool:
        """Whether it has ended; known before the end of its reports, which its children hold open until they die."""
        return self.exit >= 0 and bool(select.select([self.exit], [], [], 0)[0])

    def status(self) -> int:
        """The exit status once the reports have ended (minus the signal that killed it)."""
        return self._process.wait(PATIENCE)

    def close(self) -> None:
        """End the zygote, which ends all that it forked, and remove its `directory`; may be called twice."""
        with Cleaning():
            self._close()

    def _close(self) -> None:
        # Never started, it need not finish its imports; stopped, it does not see that we want no more.
        if not self.started or stopped_by(self.pid):
            self._process.kill()
        self.close_given()
        self.close_receiver()
        with contextlib.suppress(BrokenPipeError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:  # its children die with it
            self._process.kill()
            self._process.wait()
        if self.exit >= 0:
            os.close(self.exit)
            self.exit = -1
        shutil.rmtree(self.directory, ignore_errors=True)  # killed, it has not done so itself


@contextlib.contextmanager
def started_ahead(wanted: bool) -> Iterator[ZygoteProcess | None]:
    """A zygote that imports while the launcher does; it is gone at the end, whether it was used or not."""
    if not wanted:
        yield None
        return
    zygote = ZygoteProcess()
    try:
        yield zygote
    finally:
        zygote.close()


def _exit_descriptor(process: int) -> int:
    """A descriptor that becomes readable when `process` ends; -1 if this system has none."""
    try:
        return os.pidfd_open(process)
    except (AttributeError, OSError):
        return -1


def _start(descriptors: Sequence[int], directories: Sequence[str]) -> subprocess.Popen[bytes]:
    """A fresh interpreter in a session of its own, so that Ctrl-C reaches only the launcher.

    It removes the `directories` at its end.
    """
    home = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # inherited until the zygote can bear it
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "launch.processes.zygote", *directories],
            stdin=subprocess.PIPE,
            pass_fds=descriptors,
            env={**KEEP_MEMORY, **os.environ, **ONE_THREAD, "PYTHONPATH": path},
            start_new_session=True,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
