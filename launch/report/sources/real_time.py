"""Real time of nodes and cores: what a trace of a run in Chrome's format says, per sample."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from emu.errors import InputError, option
from emu.files import read_bytes
from launch.tracing.nodes import first_of
from launch.tracing.run_tracks import is_real

LARGEST = 1 << 30  # bytes of a file, decompressed
US = 1e-6
GZIP = b"\x1f\x8b"
REAL_TIMES = ("real_seconds", "real_request_seconds")  # of a core or node in the report


class TraceEvent(msgspec.Struct):
    """An event of the file: of those that mean something here, all fields."""

    ph: str
    pid: int = 0
    tid: int = 0
    name: str = ""
    ts: float = 0.0  # microseconds
    args: dict[str, Any] = {}


class TraceEvents(msgspec.Struct):
    """The file."""

    traceEvents: list[TraceEvent]


@dataclass(slots=True)
class Spent:
    """Seconds of a sample in which cores compute, and in which they are in requests, waiting included."""

    work: float = 0.0
    requests: float = 0.0


@dataclass(frozen=True, slots=True)
class RealTime:
    """Means over `samples` samples, by node as the trace calls it and by core."""

    file: Path
    samples: int
    by_node: Mapping[str, Spent]
    by_core: Mapping[int, Spent]


@dataclass(slots=True)
class _Core:
    """What a track tells: by sample and node, seconds."""

    samples: dict[str, dict[str, Spent]] = field(default_factory=dict[str, dict[str, Spent]])


def spent_values(parts: Sequence[Spent | None]) -> dict[str, Any]:
    """Seconds on the host, per sample: computing, and in requests; None are parts of which nothing is known."""
    known = [part for part in parts if part is not None]
    seconds = sum(part.work for part in known), sum(part.requests for part in known)
    return dict(zip(REAL_TIMES, seconds, strict=True))


def read_real_time(path: Path, cores: Collection[int], nodes: Collection[str] = ()) -> RealTime:
    """Read the trace of a run on these cores; raises InputError for what is none, or is of other cores.

    `nodes` are those of their instructions, as the trace calls them.
    Counted are the samples that all cores have in the trace, the first of them left out if there are more.
    """
    try:
        events = msgspec.json.decode(_content(path), type=TraceEvents).traceEvents
        found = dict(_cores(events, nodes))
    except (msgspec.MsgspecError, ValueError, IndexError, RecursionError) as error:
        raise InputError(
            f"{path} is no trace of a run in Chrome's format ({error}): record one by {option('trace', 'run.json.gz')}"
            " of emu launch"
        ) from None
    if not found or not set(found) <= set(cores):
        strange = sorted(set(found) - set(cores))
        what = f"it has core {strange[0]}" if strange else "it has no core"
        raise InputError(f"{path} is no trace of a run of these programs: {what}")
    common = [name for name in next(iter(found.values())).samples if all(name in c.samples for c in found.values())]
    counted = common[1:] or common
    if not counted:
        raise InputError(f"{path} has no sample of all cores: record a run of fewer samples, or keep more events")
    by_node, by_core = dict[str, Spent](), dict[int, Spent]()
    for core, record in found.items():
        for name in counted:
            for node, spent in record.samples[name].items():
                for total in (by_node.setdefault(node, Spent()), by_core.setdefault(core, Spent())):
                    total.work += spent.work / len(counted)
                    total.requests += spent.requests / len(counted)
    return RealTime(path, len(counted), by_node, by_core)


def _content(path: Path) -> bytes:
    content = read_bytes(path, LARGEST)
    if not content.startswith(GZIP):
        return content
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            found = packed.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(error) from None
    if len(found) > LARGEST:
        raise InputError(f"{path} holds more than {LARGEST} bytes: record a run of fewer samples")
    return found


def _cores(events: Iterable[TraceEvent], nodes: Collection[str]) -> Iterator[tuple[int, _Core]]:
    """The tracks of the cores of the run; raises ValueError for slices that do not lie in each other."""
    groups, names = dict[int, str](), dict[tuple[int, int], str]()
    open_slices: dict[tuple[int, int], list[TraceEvent]] = {}
    cores: dict[tuple[int, int], _Core] = {}
    for event in events:
        where = event.pid, event.tid
        if event.ph == "M" and event.name == "process_name":
            groups[event.pid] = str(event.args.get("name"))
        elif event.ph == "M" and event.name == "thread_name":
            names[where] = str(event.args.get("name"))
        elif event.ph == "B" and is_real(groups.get(event.pid, "")):
            open_slices.setdefault(where, []).append(event)
        elif event.ph == "E" and is_real(groups.get(event.pid, "")):
            stack = open_slices.get(where, [])
            _closed(cores.setdefault(where, _Core()), stack, event.ts, nodes)
    for where, core in cores.items():
        word, _, number = names.get(where, "").partition(" ")
        if word != "core" or not number.isdecimal():
            raise ValueError(f"a track is called {names.get(where, '')!r}")
        yield int(number), core


def _closed(core: _Core, stack: list[TraceEvent], end: float, nodes: Collection[str]) -> None:
    """The innermost open slice ends: of a sample, of a node in it, or of a batch or a request in that."""
    slice_ = stack.pop()
    if not stack:
        if slice_.name.startswith("sample "):
            core.samples.setdefault(slice_.name, {})
    elif len(stack) == 2 and stack[0].name.startswith("sample "):
        sample = core.samples.setdefault(stack[0].name, {})
        spent = sample.setdefault(first_of(stack[1].name, nodes), Spent())
        seconds = (end - slice_.ts) * US
        if "index" in slice_.args:
            spent.requests += seconds
        else:
            spent.work += seconds
