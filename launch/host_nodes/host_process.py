"""The client side of a host process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emu.image.manifest import Segment
from launch.supervision.errors import CoreDied, HostNodesFailed, RunTimeout
from launch.supervision.stopped_processes import Notice
from launch.workers.failures import WorkerDied, WorkerFailed, WorkerRefusal, WorkerTimedOut
from launch.workers.worker import Worker

_FEW = 3  # nodes that are named


class HostProcess(Worker):
    """The process of one segment on the host, whose ONNX file is in `folder`; it starts to load at once.

    `shapes` are those of its inputs, as far as they are fixed; `timeout` seconds for a sample (None: no limit);
    `notice` is called if it is stopped. Raises InputError if the process cannot be started.
    """

    module, purpose = "launch.host_nodes.host_worker", "the run"

    def __init__(
        self,
        folder: Path,
        segment: Segment,
        shapes: Mapping[str, tuple[int, ...]],
        timeout: float | None = None,
        notice: Notice | None = None,
    ) -> None:
        self.segment = segment
        super().__init__(_name_of(segment), timeout=timeout, notice=notice)
        try:
            model = str(folder.resolve() / segment.file)
            self.ask("open", model=model, outputs=list(segment.outputs), shapes=dict(shapes))
        except BaseException:
            self.close()
            raise

    def ready(self) -> None:
        """Wait until it can compute; raises HostNodesFailed, CoreDied, RunTimeout."""
        self.start_clock()  # others have been started since
        self.answer()

    def run(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs of the nodes for one sample, by name; raises HostNodesFailed, CoreDied, RunTimeout."""
        return dict(self.call("run", values=dict(given)))

    def failure(self, found: WorkerFailed) -> Exception:
        """The error of the run for a failure of the worker."""
        match found:
            case WorkerDied():
                return CoreDied(self.name, None, found.status, traceback=found.traceback)
            case WorkerTimedOut():
                return RunTimeout(found.seconds, found.doing)
            case WorkerRefusal():
                return HostNodesFailed(f"{self.name} cannot compute them: {found}")
            case _:
                return HostNodesFailed(f"{self.name} answered what is no answer: {found}")


def _name_of(segment: Segment) -> str:
    return f"the host process of {segment.file} ({nodes_of(segment)})"


def nodes_of(segment: Segment) -> str:
    """The nodes of a segment as a sentence names them."""
    more = len(segment.nodes) - _FEW
    return ", ".join(segment.nodes[:_FEW]) + (f" and {more} more" if more > 0 else "")
