"""Observers, which measure or disturb a run: one part of each is in the launcher, the other in the run's processes.

A run knows observers only by these two classes; a run without observers executes none of their code.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from mmap import mmap
from types import TracebackType
from typing import Any

from emu.noc.between_processes.driver import SampleLog
from emu.noc.ports.port import Port
from emu.noc.ports.resumable_core import ResumableCore
from emu.program.program import Program

MakePort = Callable[..., Port]  # called as `ProcessPort` is


class ProcessObserver:
    """The part in the processes; a hook that is not overridden changes nothing.

    Made once, before the forks, of the plain `values` that the launcher's part gives, the `memory` that both share
    (None: none), and the numbers of all `cores` with a program.
    """

    early = True  # whether cores may be made before their processes are forked

    def __init__(self, values: Any, memory: mmap | None, cores: Sequence[int]) -> None:
        self.values, self.memory, self.cores = values, memory, cores

    def forks(self, cores: list[int]) -> list[int]:
        """The order in which `cores` are forked."""
        return cores

    def begins(self, core: int) -> None:
        """The process of `core` is about to load its program."""

    def ports(self, core: int, make: MakePort) -> MakePort:
        """The function that makes the port of `core`, which is about to join the barrier, in place of `make`."""
        return make

    def resumable(self, core: int, resumable: ResumableCore) -> ResumableCore:
        """The core that is driven in place of `resumable`."""
        return resumable

    def log(self, core: int, log: SampleLog) -> SampleLog:
        """The log that records the samples in place of `log`."""
        return log


class Observation:
    """The launcher's part: a context manager around the run, whose `observer` is in the processes.

    `descriptor` is that of the shared memory, -1 if there is none; it is closed at the end.
    """

    observer: type[ProcessObserver] = ProcessObserver
    descriptor = -1

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)

    def plan(self, programs: Mapping[int, Program]) -> Any:
        """The values for the observer, plain ones, once the programs are known; raises InputError."""

    def observed(self) -> dict[str, Any]:
        """The observations so far, by name, as plain values."""
        return {}
