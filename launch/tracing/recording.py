"""The trace of a run: recorded by its processes, written to a file when they have ended, whether it failed or not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from mmap import mmap
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from emu.errors import EmuError, InputError
from emu.program.program import Program
from launch.processes.observer import Observation, ObservedHost
from launch.processes.other_clock import OtherClock
from launch.tracing.events import OPEN, EventRings
from launch.tracing.model import Part
from launch.tracing.options import most_of
from launch.tracing.recorder import TraceObserver
from launch.tracing.run_tracks import first_sample, group_of_host, run_parts
from launch.tracing.trace_file import format_of, write_trace
from launch.tracing.trace_summary import summary_values, trace_lines

INTERRUPTED = 5_000  # events that a run writes, of all cores together, which is to end at once
Beside = Callable[[tuple[int, int] | None], Iterable[Part]]  # of begin and length (ns) of a sample, if one is known


class TraceRecording(Observation):
    """Records one run and writes its trace to `path`; of each core the newest `most` events are kept.

    None: as many as `most_of` says. `beside` gives further parts of the file. Raises InputError, at once for the name
    of a file that says no format; at the end of a run without an error if the file cannot be written. An error of the
    run learns where its trace is.
    """

    observer = TraceObserver

    def __init__(self, path: Path, most: int | None = None, beside: Beside | None = None) -> None:
        format_of(path)
        self._path, self._given, self._beside = path, most, beside
        self._most = 0
        self._began = 0
        self._events: EventRings | None = None
        self._programs: Mapping[int, Program] = {}
        self._hosts: Sequence[ObservedHost] = ()

    def __enter__(self) -> TraceRecording:
        self._began = time.monotonic_ns()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._events is not None:
                self._end(self._events, error)
        finally:
            self._events = None

    def plan(self, programs: Mapping[int, Program]) -> int:
        """How many events a core keeps."""
        self._most = self._given or most_of(len(programs))
        self.row = EventRings.size(1, self._most)
        self._programs = programs
        return self._most

    def begins(self, memory: mmap | None, hosts: Sequence[ObservedHost]) -> None:
        """The events are in `memory`; their times are of the clock of each of `hosts`."""
        assert memory is not None
        self._hosts = [host for host in hosts if host.name]
        self._events = EventRings(memory, list(self._programs), self._most)

    def observed(self) -> dict[str, Any]:
        """`trace`: the file, how many events are kept, and how many are lost, by core where there are some.

        Of each host, how well its clock is known, and whether its events have come.
        """
        return {"trace": self._summary(self._events)} if self._events else {}

    def _summary(self, events: EventRings) -> dict[str, Any]:
        dropped = {core: count for core in self._programs if (count := events.dropped(core))}
        kept = sum(events.written(core) for core in self._programs) - sum(dropped.values())
        hosts = [
            {"host": host.name, "clock_ns": host.clock.uncertainty if host.clock else 0, "whole": host.whole}
            for host in self._hosts
        ]
        return {"file": str(self._path), "events": kept, "most": events.most, "dropped": dropped, "hosts": hosts}

    def _end(self, events: EventRings, error: BaseException | None) -> None:
        if error is not None and not isinstance(error, Exception):
            events = events.newest(INTERRUPTED // max(1, len(self._programs)) + 1)
        summary = self._summary(events)
        if error is not None and not summary["events"]:
            return
        try:
            write_trace(self._path, self._parts(events))
        except InputError as failure:
            if error is None:
                raise
            error.add_note(f"its trace is lost: {failure}")
            return
        if isinstance(error, EmuError):
            error.details = {**error.details, "trace": summary_values(summary)}
            for line in trace_lines(summary):
                error.add_note(line)

    def _parts(self, events: EventRings) -> Iterator[Part]:
        ended = time.monotonic_ns()
        known = {core: events.of(core) for core in self._programs}
        complete = {core: not events.dropped(core) for core in self._programs}
        groups: dict[int, str] = {}
        for host in self._hosts:
            group = group_of_host(host.name, host.clock.uncertainty if host.clock else 0)
            for core in known.keys() & set(host.cores):
                groups[core], complete[core] = group, complete[core] and host.whole
                if host.clock is not None:
                    _bring_here(known[core], host.clock, self._began, ended)
        yield from run_parts(known, complete, self._programs, self._began, ended, groups)
        if self._beside is not None:
            yield from self._beside(first_sample(known, self._began))


def _bring_here(rows: np.ndarray, clock: OtherClock, began: int, ended: int) -> None:
    """Change the times of events by another clock to those of this one, within the run."""
    for name in ("begin", "end"):
        times = rows[name]
        rows[name] = np.where(times == OPEN, OPEN, np.clip(clock.here(times), began, ended))
