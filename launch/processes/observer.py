"""Observers, which measure or disturb a run: one part of each is in the launcher, the other in the run's processes.

A run knows observers only by these two classes; a run without observers executes none of their code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from mmap import mmap
from types import TracebackType
from typing import Any

from emu.noc.between_processes.driver import SampleLog
from emu.noc.ports.port import Port
from emu.noc.ports.resumable_core import ResumableCore
from emu.program.program import Program
from launch.processes.other_clock import OtherClock

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


@dataclass(slots=True)
class ObservedHost:
    """A machine of a run over several that forks `cores` and is called `name` (empty: that of the launcher).

    `clock` is the one that its processes share (None: that of the launcher), and `whole` whether all that they wrote
    is known.
    """

    name: str
    cores: Sequence[int]
    clock: OtherClock | None = None
    whole: bool = True


class Observation:
    """The launcher's part: a context manager around the run, whose `observer` is in the processes.

    `row` is how many bytes of shared memory each core with a program writes, in a row of its own; 0 if there is none.
    The rows of all cores follow each other in their order.
    """

    observer: type[ProcessObserver] = ProcessObserver
    row = 0

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The processes have ended; what they wrote can still be read."""

    def plan(self, programs: Mapping[int, Program]) -> Any:
        """The values for the observer, plain ones, once the programs are known; from then on `row` counts.

        Raises InputError.
        """

    def begins(self, memory: mmap | None, hosts: Sequence[ObservedHost]) -> None:
        """The run begins, with this `memory` of all rows (None: there is none).

        With `hosts`, machines that share no memory, what it says of their cores is a copy, which is brought up to date
        before `observed`, and when the processes have ended.
        """

    def observed(self) -> dict[str, Any]:
        """The observations so far, by name, as plain values."""
        return {}
