"""The client side of the process that computes golden values."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emu.errors import EmuError
from launch.supervision.stopped_processes import Notice
from launch.workers.failures import WorkerDied, WorkerFailed, WorkerRefusal
from launch.workers.worker import Worker

_LONGEST = 300  # characters of last words


class GoldenError(EmuError):
    """Golden values cannot be computed: the evaluator rejects the network or dies (exit code 2)."""


class GoldenProcess(Worker):
    """Computes golden values of `model` with `source`, with all files in `folder`.

    `notice` is called if the process is stopped. Raises InputError if it cannot be started.
    """

    module, purpose = "launch.golden.golden_worker", "golden values"

    def __init__(self, folder: Path, model: Path, source: str, notice: Notice | None = None) -> None:
        self._model, self._source = model, source
        super().__init__(
            "the process of golden values",
            notice=notice,
            captured=True,
            variables={"TMPDIR": str(folder)},  # its files are removed with the folder
            keep_memory=False,
        )

    def failure(self, found: WorkerFailed) -> Exception:
        """The evaluator's own message if it rejects the network, else how the process failed."""
        if isinstance(found, WorkerRefusal):
            return GoldenError(str(found))
        how = _death(found) if isinstance(found, WorkerDied) else str(found)
        return GoldenError(
            f"computing golden outputs of {self._model} with {self._source} failed ({how}): "
            "use another source of golden values, or none"
        )


def evaluate(
    folder: Path, model: Path, source: str, request: Mapping[str, Any], notice: Notice | None = None
) -> dict[str, Any]:
    """What `golden_worker.compute` returns for a request about files in `folder`; raises GoldenError, InputError."""
    with GoldenProcess(folder, model, source, notice) as process:
        result = process.call("compute", folder=str(folder), **request)
        process.finish()
    return result


def _death(found: WorkerDied) -> str:
    if found.status == -signal.SIGKILL:
        return "killed, most likely out of memory"
    if found.status < 0:
        return f"died of {signal.Signals(-found.status).name}"
    return found.last_words[:_LONGEST] or f"exit code {found.status}"
