"""Traces as JSON in the Trace Event Format of Chrome, plain or gzip: https://ui.perfetto.dev and others read it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from typing import IO, Any, cast

from emu.output.stream import OutputStream
from launch.tracing.model import Counter, Part, Slice

NS_PER_US = 1000
_GZIP_LEVEL = 6


def write_chrome_gzip(file: OutputStream, parts: Iterable[Part]) -> None:
    """As `write_chrome`, compressed; equal traces give equal bytes."""
    with gzip.GzipFile("", "wb", _GZIP_LEVEL, cast("IO[bytes]", file), mtime=0) as packed:
        write_chrome(packed, parts)


def write_chrome(file: OutputStream | gzip.GzipFile, parts: Iterable[Part]) -> None:
    """Write `parts`: each outermost group is a process, what is in it are its threads and counters."""
    file.write(b'{"displayTimeUnit": "ns", "traceEvents": [')
    between, groups = b"\n", dict[str, int]()
    for number, part in enumerate(parts, 1):
        if events := list(_events(part, number, groups)):
            file.write(between + json.dumps(events)[1:-1].encode())
            between = b",\n"
    file.write(b"\n]}\n")


def _events(part: Part, number: int, groups: dict[str, int]) -> Iterator[dict[str, Any]]:
    """What is written of part `number`; `groups` are the processes so far, by name."""
    group, name = part.path[0], " ".join(part.path[1:]) or part.path[0]
    if group not in groups:
        groups[group] = len(groups) + 1
        yield from _named("process", groups[group], 0, group, groups[group])
    where = {"pid": groups[group], "tid": number}
    if isinstance(part, Counter):
        for time, value in part.points:
            yield {"ph": "C", "name": name, **where, "ts": time / NS_PER_US, "args": {part.unit.value: value}}
        return
    yield from _named("thread", where["pid"], number, name, number)
    for one in part.slices:
        yield from _slice(one, where)


def _named(kind: str, process: int, thread: int, name: str, rank: int) -> Iterator[dict[str, Any]]:
    where = {"ph": "M", "pid": process, "tid": thread}
    yield {**where, "name": f"{kind}_name", "args": {"name": name}}
    yield {**where, "name": f"{kind}_sort_index", "args": {"sort_index": rank}}


def _slice(one: Slice, where: dict[str, int]) -> Iterator[dict[str, Any]]:
    """A begin and an end, not a duration: readers cut times to ns, and sums might leave the slice around them."""
    begin = one.begin / NS_PER_US
    event = {"ph": "B", "name": one.name, **where, "ts": begin}
    yield {**event, "args": dict(one.notes)} if one.notes else event
    arrow = {"name": "message", "cat": "message", **where, "ts": begin}
    yield from ({**arrow, "ph": "s", "id": flow} for flow in one.starts)
    yield from ({**arrow, "ph": "f", "bp": "e", "id": flow} for flow in one.ends)
    for inner in one.inner:
        yield from _slice(inner, where)
    yield {"ph": "E", **where, "ts": one.end / NS_PER_US}
