"""The observers that record the trace of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from launch.processes.observer import Observation
from launch.tracing.options import OWN, TraceOptions


def observers_of(options: TraceOptions | None, out: Path, flow: str) -> Sequence[Observation]:
    """The observers for a trace of the image `out`; none without --trace.

    Raises InputError, also for a chip or programs without times.
    """
    if options is None:
        return ()
    from launch.tracing.recording import TraceRecording

    if not options.beside:
        return (TraceRecording(options.path, options.most),)
    from launch.timing.beside import simulated

    chip = None if options.beside == OWN else options.beside
    return (TraceRecording(options.path, options.most, simulated(out, chip, flow)),)
