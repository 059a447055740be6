"""A worker that runs cases, seen from the process that starts it."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from emu.errors import option
from launch.conformance.live import Inputs
from launch.conformance.result import FAILED, Result
from launch.conformance.trial import Trial
from launch.workers.failures import Died, Late, WorkerFailed
from launch.workers.worker import Worker


class WorkerProcess(Worker):
    """Runs one case at a time, whose images stand in `folder`; raises InputError if no process can be had.

    A case may take `timeout` seconds.
    """

    module, purpose = "launch.conformance.worker", "cases"

    def __init__(self, folder: Path, timeout: float = math.inf) -> None:
        self._folder, self._longest = folder, timeout
        self.trial: Trial | None = None
        self.began = 0.0
        super().__init__("the process that runs cases", timeout=timeout)

    def begin(self, trial: Trial) -> None:
        """Let it run a case; what comes of it is told by `result`, once something has come from the process."""
        self.trial, self.began = trial, time.monotonic()
        given = {field.name: getattr(trial, field.name) for field in fields(trial)}
        with contextlib.suppress(WorkerFailed):  # `result` tells so, or the clock
            self.ask("run", folder=str(self._folder), trial=given)

    def result(self) -> Result:
        """What came of its case; a failed one if the process has died of it, or has taken too long."""
        trial, self.trial = self.trial, None
        assert trial is not None
        try:
            return _result(**self.answer())
        except Late:
            reason = self._late
        except Died as found:
            reason = f"the process that ran the case {_death(found)}"
        except WorkerFailed as found:
            reason = f"the process that ran the case answered what is no answer: {found}"
        return trial.result(FAILED, reason, self.seconds)

    def overdue(self) -> Result | None:
        """That its case has taken too long; None if it has not."""
        if self.trial is None or self.seconds <= self._longest:
            return None
        return self.trial.result(FAILED, self._late, self.seconds)

    @property
    def seconds(self) -> float:
        """Since its case began."""
        return time.monotonic() - self.began

    @property
    def _late(self) -> str:
        return f"it took longer than {self._longest:g} s (raise {option('timeout')} if it only takes longer)"


def _death(found: Died) -> str:
    if found.traceback:
        return f"failed by an error of the emulator itself: {found}"
    return f"was killed by signal {-found.status}" if found.status < 0 else f"ended with status {found.status}"


def _result(inputs: Mapping[str, Any], **given: Any) -> Result:
    """The result of these fields, as they came."""
    return Result(**given, inputs=Inputs(inputs["count"], tuple(inputs["frozen"]), inputs["why"], inputs["idle"]))
