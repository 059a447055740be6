"""The trace of a run: recorded by its processes, written to a file when they have ended, whether it failed or not."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from mmap import mmap
from pathlib import Path
from types import TracebackType
from typing import Any

from emu.errors import EmuError, InputError, option
from emu.program.program import Program
from emu.wording import counted
from launch.processes.observer import Observation
from launch.system.memory import resize
from launch.tracing.events import EventRings
from launch.tracing.model import Part
from launch.tracing.options import most_of
from launch.tracing.recorder import TraceObserver
from launch.tracing.run_tracks import first_sample, run_parts
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
        self._events: EventRings | None = None
        self._programs: Mapping[int, Program] = {}

    def __enter__(self) -> TraceRecording:
        self._began = time.monotonic_ns()
        self.descriptor = os.memfd_create("emu-trace", os.MFD_CLOEXEC)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._events is not None:
                self._end(self._events, error)
        finally:
            self._events = None
            super().__exit__(kind, error, trace)

    def plan(self, programs: Mapping[int, Program]) -> int:
        """How many events a core keeps; raises InputError if the memory for them cannot be had."""
        self._most = self._given or most_of(len(programs))
        self._events = EventRings(self._memory(len(programs)), list(programs), self._most)
        self._programs = programs
        return self._most

    def _memory(self, cores: int) -> mmap:
        size = EventRings.size(cores, self._most)
        try:
            resize(self.descriptor, size)
            return mmap(self.descriptor, size)
        except (InputError, OSError, OverflowError, ValueError):
            raise InputError(
                f"no memory for {counted(self._most, 'event')} of each of {counted(cores, 'core')}: {size} bytes are"
                f" too many here; keep fewer with {option('trace_events')}"
            ) from None

    def observed(self) -> dict[str, Any]:
        """`trace`: the file, how many events are kept, and how many are lost, by core where there are some."""
        return {"trace": self._summary(self._events)} if self._events else {}

    def _summary(self, events: EventRings) -> dict[str, Any]:
        dropped = {core: count for core in self._programs if (count := events.dropped(core))}
        kept = sum(events.written(core) for core in self._programs) - sum(dropped.values())
        return {"file": str(self._path), "events": kept, "most": events.most, "dropped": dropped}

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
        yield from run_parts(known, complete, self._programs, self._began, ended)
        if self._beside is not None:
            yield from self._beside(first_sample(known, self._began))
