"""Tracing in the processes of a run: every core is driven through a recorder."""

from __future__ import annotations

from collections.abc import Sequence
from mmap import mmap
from typing import Any

from emu.core.engines.core import Core
from emu.noc.ports.resumable_core import ResumableCore
from launch.processes.observer import Observer
from launch.tracing.events import Events
from launch.tracing.recorder import Recorder


class TraceObserver(Observer):
    """Writes the events of each core into `memory`, the newest `values` of them."""

    def __init__(self, values: Any, memory: mmap | None, cores: Sequence[int]) -> None:
        assert memory is not None
        self._events = Events(memory, cores, values)

    def resumable(self, core: int, resumable: ResumableCore) -> ResumableCore:
        """A recorder around the core itself, whose engine tells what it is about to run."""
        if not isinstance(resumable, Core):
            raise TypeError(f"core {core} is driven through another observer already, which must come after tracing")
        return Recorder(resumable, self._events.ring(core))
