"""A run as tracks: per core its samples, in them ONNX nodes, in them batches of instructions and requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from emu.core.trap import INIT_SAMPLE
from emu.program.program import Program
from launch.tracing.counters import core_counters, in_flight, run_counters
from launch.tracing.events import EVENT, OPEN, EventKind
from launch.tracing.messages import TracedMessages, messages_of
from launch.tracing.model import Counter, Part, Slice, Track
from launch.tracing.nodes import NodeNames

REAL = "real time"
_ON_HOST = f"{REAL} on host "
WORDS: Mapping[EventKind, str] = {
    EventKind.SEND: "send to core {other}",
    EventKind.RECV: "recv from core {other}",
    EventKind.LOAD: "load",
    EventKind.STORE: "store",
    EventKind.SYNC: "sync core {other}, event {size}",
    EventKind.WAIT: "wait for event {size}",
    EventKind.CAPTURE: "capture {tensor}",
}
WITH_BYTES = (EventKind.SEND, EventKind.RECV, EventKind.LOAD, EventKind.STORE, EventKind.CAPTURE)


class RunEvent(NamedTuple):
    """An event as of `events`, its times from the begin of the trace."""

    kind: int
    sample: int
    begin: int
    end: int
    index: int
    other: int
    size: int
    number: int


def group_of_host(host: str, uncertainty: int | None) -> str:
    """The group of the cores on `host`, whose clock is known to within so many ns (None: it is not known)."""
    return f"{_ON_HOST}{host} (clock {'unknown' if uncertainty is None else f'+- {-(-uncertainty // 1000)} us'})"


def is_real(group: str) -> bool:
    """Whether a group of tracks has real times of cores."""
    return group == REAL or group.startswith(_ON_HOST)


def run_parts(
    events: Mapping[int, np.ndarray],
    complete: Mapping[int, bool],
    programs: Mapping[int, Program],
    began: int,
    ended: int,
    groups: Mapping[int, str] = MappingProxyType({}),
) -> Iterator[Part]:
    """Tracks and counters of a run, whose `events` by core are between `began` and `ended` (ns of one clock).

    `complete`: of a core no event is lost. What had not ended, ended with the run. `groups` are those of cores that are
    not in the usual one.
    """
    placed = {core: _placed(rows, began, ended) for core, rows in events.items() if rows.size}
    messages = messages_of(events, complete, began)
    flights = in_flight(messages, ended - began)
    yield from _moving(run_counters((REAL, "all cores"), placed, flights))
    for core, rows in placed.items():
        path = (groups.get(core, REAL), f"core {core}")
        yield Track(path, list(_samples(core, rows, NodeNames(programs[core]), messages)))
        yield from _moving(core_counters(path, rows, flights.get(core, ())))


def _moving(counters: Iterable[Counter]) -> Iterator[Counter]:
    """The counters that ever change."""
    return (counter for counter in counters if counter.points)


def first_sample(events: Mapping[int, np.ndarray], began: int) -> tuple[int, int] | None:
    """Begin and length (ns since `began`) of the earliest sample with events; None if there is none."""
    rows = np.concatenate([np.empty(0, EVENT), *events.values()])
    rows = rows[(rows["sample"] != INIT_SAMPLE) & (rows["end"] != OPEN)]
    if not rows.size:
        return None
    chosen = rows[rows["sample"] == rows["sample"].min()]
    begin, end = int(chosen["begin"].min()), int(chosen["end"].max())
    return begin - began, end - begin


def _placed(rows: np.ndarray, began: int, ended: int) -> np.ndarray:
    """The events with times from `began` on."""
    rows = rows.copy()
    rows["end"][rows["end"] == OPEN] = ended
    rows["begin"] -= began
    rows["end"] -= began
    return rows


def _samples(core: int, rows: np.ndarray, names: NodeNames, messages: TracedMessages) -> Iterator[Slice]:
    for sample, events in groupby(map(RunEvent._make, rows.tolist()), key=attrgetter("sample")):
        section = "init" if sample == INIT_SAMPLE else "main"
        nodes: list[Slice] = []
        for node, group in groupby(events, key=lambda event: names.node(section, event.index)):
            nodes.append(_around(node, [_leaf(core, section, event, names, messages) for event in group]))
        yield _around("init" if sample == INIT_SAMPLE else f"sample {sample}", nodes)


def _around(name: str, inner: list[Slice]) -> Slice:
    return Slice(name, inner[0].begin, inner[-1].end, inner)


def _leaf(core: int, section: str, event: RunEvent, names: NodeNames, messages: TracedMessages) -> Slice:
    """A batch of instructions, or a request; in a receive, from when on its message was under way."""
    kind, begin, end = EventKind(event.kind), event.begin, event.end
    if kind is EventKind.COMPUTE:
        name = names.batch(section, event.index, event.other)
        return Slice(name, begin, end, notes=(("first", event.index), ("until", event.other)))
    notes = (("index", event.index), *((("bytes", event.size),) if kind in WITH_BYTES else ()))
    tensor = names.tensor(event.number) if kind is EventKind.CAPTURE else ""
    name = WORDS[kind].format(other=event.other, size=event.size, tensor=tensor)
    if kind is EventKind.SEND:
        message = messages.known.get((core, event.other, event.number))
        return Slice(name, begin, end, starts=(message.flow,) if message else (), notes=notes)
    if kind is EventKind.RECV and (message := messages.known.get((event.other, core, event.number))):
        under_way = Slice("message", max(begin, message.sent), end, ends=(message.flow,))
        return Slice(name, begin, end, [under_way], notes=notes)
    return Slice(name, begin, end, notes=notes)
