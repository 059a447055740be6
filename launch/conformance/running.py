"""Runs cases on some workers at a time, until all are done or time is up."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from emu.errors import InputError
from launch.conformance.result import NOT_RUN, Result
from launch.conformance.trial import Trial
from launch.conformance.worker_process import WorkerProcess
from launch.workers.worker import ready

PERIOD = 0.2  # seconds between two looks at the clock
Done = Callable[[Result], None]


class Workers:
    """A context manager over `jobs` processes, which start at once; their images stand below `folder`.

    A case that takes longer than `timeout` seconds has failed, and its process is replaced.
    """

    def __init__(self, folder: Path, jobs: int = 1, timeout: float = math.inf) -> None:
        self._folder, self._jobs, self._timeout = folder, jobs, timeout
        self._workers: list[WorkerProcess] = []
        self._made = 0

    def __enter__(self) -> Workers:
        try:
            for _ in range(self._jobs):
                self._workers.append(self._start())
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def run(self, trials: Iterable[Trial], done: Done, until: float = math.inf) -> None:
        """Run all, and tell `done` each result as it comes; what has not ended at the time `until` has not run."""
        waiting = deque(trials)
        while waiting or any(worker.trial for worker in self._workers):
            if time.monotonic() >= until:
                self._give_up(waiting, done)
                return
            for worker in self._workers:
                if waiting and worker.trial is None:
                    worker.begin(waiting.popleft())
            self._collect(done)

    def _collect(self, done: Done) -> None:
        """Take the results that are there, and end what takes too long."""
        busy = [worker for worker in self._workers if worker.trial]
        for worker in ready(busy, PERIOD):
            done(worker.result())
            if worker.busy or worker.has_ended():
                self._replace(worker)
        for worker in busy:
            if late := worker.overdue():
                done(late)
                self._replace(worker)

    def _give_up(self, waiting: Iterable[Trial], done: Done) -> None:
        late = [worker.trial for worker in self._workers if worker.trial] + list(waiting)
        for trial in late:
            done(trial.result(NOT_RUN, "the deadline came first"))
        self._close()

    def _replace(self, worker: WorkerProcess) -> None:
        worker.close()
        self._workers[self._workers.index(worker)] = self._start()

    def _start(self) -> WorkerProcess:
        folder = self._folder / str(self._made)
        try:
            folder.mkdir()
        except OSError as error:
            raise InputError(f"{folder} cannot be made: {error.strerror}") from None
        self._made += 1
        return WorkerProcess(folder, self._timeout)

    def _close(self) -> None:
        for worker in self._workers:
            worker.close()
        self._workers.clear()
