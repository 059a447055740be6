"""Runs the programs on the same inputs, and compares the values that leave each core with the last level."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from xdsl.ir import Operation

from compiler.interpreter.pim import core_of
from compiler.interpreter.world import MadeValue
from launch.bisect.recording import KeptImage, SampleRecording, record
from launch.levels.comparing import Deviation, ExpectedLevel, Worst, compare, largest
from launch.levels.finding import PROGRAMS, LevelDifference
from launch.levels.makers import made_by
from launch.levels.watching import Arrays, Watching, described, index_of, text_of
from launch.processes.options import RunOptions
from launch.supervision.errors import CoreTrapped


def compare_programs(
    image: KeptImage, inputs: Arrays, watched: Watching, options: RunOptions
) -> LevelDifference | None:
    """The first value that a core sends, stores or completes otherwise than the last level; None if none.

    `watched` has seen the compilation of the image's programs. Raises EmuErrors for images that cannot be run here.
    """
    recording, worst, missing = record(image, [inputs], options), Worst(), list[MadeValue]()
    scales = _scales(watched.events)
    for made, got in _pairs(watched.events, recording):
        if got is None:
            missing.append(made)
        else:
            worst.add(made, _compared(made, got, watched, scales[_node(made.op)]))
    for name, array in recording.outputs.items():
        worst.add(name, compare(array, watched.outputs[name].array, watched.outputs[name]), final=True)
    watched.compared += worst.compared
    first = worst.first()
    if first is None:
        return _ended(missing, recording)
    made, off = first
    if isinstance(made, str):
        return LevelDifference(
            PROGRAMS, "a pim.store", "", "", None, "", made, "", off.index, off.before, off.after,
            off.elements, off.of, off.limit,
        )  # fmt: skip
    index = index_of(made, off.index)
    value = "" if made.tensor else f"the bytes of a {made.op.name}"
    maker = made_by(made.op)
    seen = "" if maker is made.op else text_of(made.op)
    return described(PROGRAMS, maker, off, tensor=made.tensor, value=value, index=index, seen_at=seen)


def _ended(missing: Sequence[MadeValue], recording: SampleRecording) -> LevelDifference | None:
    """What the programs do not come to: first of the core that trapped, if one did; None if they come to all."""
    error = recording.error
    trapped = {record.core for record in error.records} if isinstance(error, CoreTrapped) else set[int]()
    first = next((made for made in missing if not trapped or core_of(made.op) in trapped), None)
    if first is None:
        return error and LevelDifference(PROGRAMS, "the programs", "", what=f"do not come to their end: {error}")
    what = f"does not come to its end in the programs: {error or 'its core never comes to it'}"
    return described(PROGRAMS, made_by(first.op), what=what)


def _compared(made: MadeValue, got: np.ndarray, watched: Watching, scale: float) -> Deviation:
    """How far the bytes of a program are off; where inexact floats are rounded, only known tensors are looked at."""
    if made.tensor in watched.tensors:
        return compare(got, made.array, watched.tensors[made.tensor])
    return Deviation(0.0) if watched.inexact else compare(got, made.array, ExpectedLevel(made.array, scale))


def _scales(events: Sequence[MadeValue]) -> dict[str, float]:
    """The largest number of what leaves cores, by node: rows of a tensor may hold small ones only."""
    found = defaultdict[str, float](float)
    for made in events:
        found[_node(made.op)] = max(found[_node(made.op)], largest(made.array))
    return found


def _node(op: Operation) -> str:
    return str(op.properties.get("node", op.properties.get("tensor", "")))


def _pairs(events: Sequence[MadeValue], recording: SampleRecording) -> Iterator[tuple[MadeValue, np.ndarray | None]]:
    """Each value of the last level with the same one of the programs; None if that never came to be."""
    stored = defaultdict[int, bytes](bytes)
    for store in recording.stores:
        stored[store.core] += store.data
    for made in events:
        kind, who, number = made.told
        size = made.array.nbytes
        if kind == "store":
            assert isinstance(who, int)
            data, stored[who] = stored[who][:size], stored[who][size:]
        elif kind == "send":
            messages = recording.messages.get(who, [])  # pyright: ignore[reportArgumentType, reportCallIssue]
            assert isinstance(number, int)
            data = messages[number].data if number < len(messages) else b""
        else:
            data = recording.captures.get((who, number), b"")  # pyright: ignore[reportArgumentType]
        whole = len(data) == size
        yield made, np.frombuffer(data, made.array.dtype).reshape(made.array.shape) if whole else None
