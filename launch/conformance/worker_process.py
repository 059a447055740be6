"""A worker, seen from the process that starts it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from multiprocessing.connection import Connection
from pathlib import Path

from launch.conformance.result import FAILED, Result
from launch.conformance.trial import Trial
from launch.processes.interpreter import Interpreter
from launch.system.cleanup import Cleaning
from launch.system.process_limits import no_process

PATIENCE = 10.0  # seconds that a worker may take to end what it has started


class WorkerProcess:
    """Runs one case at a time, whose images stand in `folder`; raises InputError if no process can be had."""

    def __init__(self, folder: Path) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.connection = Connection(ours.detach())
            try:
                with no_process("cases"):
                    self._process = Interpreter(
                        "launch.conformance.worker",
                        [str(os.getpid()), str(theirs.fileno()), str(folder)],
                        subprocess.DEVNULL,
                        [theirs.fileno()],
                        stdout=subprocess.DEVNULL,
                    )
            except BaseException:
                self.connection.close()
                raise
        if self._process.exit >= 0:
            os.close(self._process.exit)  # the connection ends with it
        self.trial: Trial | None = None
        self.began = 0.0

    def begin(self, trial: Trial) -> None:
        """Let it run a case; what comes of it is told by `result`, once the connection can be read."""
        self.trial, self.began = trial, time.monotonic()
        with contextlib.suppress(ConnectionError):  # it has died: `result` tells so
            self.connection.send(trial)

    def result(self) -> Result:
        """What came of its case; a failed one if it has died of it."""
        trial, self.trial = self.trial, None
        assert trial is not None
        try:
            return self.connection.recv()
        except (EOFError, ConnectionError):
            status = self._process.wait()
            how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
            return trial.result(FAILED, f"the process that ran the case {how}", self.seconds)

    @property
    def seconds(self) -> float:
        """Since its case began."""
        return time.monotonic() - self.began

    def has_ended(self) -> bool:
        """Whether it has ended, unasked."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End it, at once if it is busy; what it has started ends with it. May be called twice."""
        with Cleaning():
            if self.trial is not None:
                self._process.kill()
            self.connection.close()
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
