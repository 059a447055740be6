"""Counters of a run: bytes in flight, blocked cores, and how long each core was blocked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby

import numpy as np

from launch.tracing.events import EventKind
from launch.tracing.messages import TracedMessages
from launch.tracing.model import Counter, CounterUnit

BLOCKING = (EventKind.SEND, EventKind.RECV, EventKind.LOAD, EventKind.STORE, EventKind.WAIT)
Change = tuple[int, int]  # when (ns), by how much


def run_counters(
    path: tuple[str, ...], events: Mapping[int, np.ndarray], flights: Mapping[int, Sequence[Change]]
) -> Iterator[Counter]:
    """The counters of all cores together; `flights` as of `in_flight`."""
    yield Counter((*path, "bytes in flight"), CounterUnit.BYTES, running(chain.from_iterable(flights.values())))
    waits = [(begin, end) for rows in events.values() for _, begin, end in _blocked(rows)]
    changes = chain(((begin, 1) for begin, _ in waits), ((end, -1) for _, end in waits))
    yield Counter((*path, "blocked cores"), CounterUnit.CORES, running(changes))


def core_counters(path: tuple[str, ...], rows: np.ndarray, flights: Sequence[Change]) -> Iterator[Counter]:
    """The counters of one core with the events `rows`."""
    yield Counter((*path, "bytes in flight to it"), CounterUnit.BYTES, running(flights))
    yield Counter((*path, "blocked in this sample"), CounterUnit.NS, _blocked_time(rows))


def in_flight(messages: TracedMessages, end: int) -> dict[int, list[Change]]:
    """By receiver: a message is in flight from the begin of its send to the end of its receive, or of the run."""
    changes: dict[int, list[Change]] = defaultdict(list)
    for (_, receiver, _), message in messages.known.items():
        changes[receiver] += ((message.sent, message.size), (message.taken, -message.size))
    for receiver, sent, size in messages.untaken:
        changes[receiver] += ((sent, size), (end, -size))
    return changes


def running(changes: Iterable[Change]) -> list[tuple[int, int]]:
    """The values of a counter that begins at 0, at each time one."""
    points: list[tuple[int, int]] = []
    value = 0
    for time, group in groupby(sorted(changes), key=lambda change: change[0]):
        value += sum(change for _, change in group)
        points.append((time, value))
    return points


def _blocked(rows: np.ndarray) -> Sequence[tuple[int, int, int]]:
    """Sample, begin and end of every request that waits for others."""
    chosen = rows[np.isin(rows["kind"], BLOCKING)]
    return list(zip(*(chosen[name].tolist() for name in ("sample", "begin", "end")), strict=True))


def _blocked_time(rows: np.ndarray) -> list[tuple[int, int]]:
    """How long a core has been blocked in its sample so far, after each wait; 0 again when the sample is over."""
    ends = dict(zip(rows["sample"].tolist(), rows["end"].tolist(), strict=True))  # the last of each sample
    points: list[tuple[int, int]] = []
    for sample, waits in groupby(_blocked(rows), key=lambda wait: wait[0]):
        total = 0
        for _, begin, end in waits:
            if not points:
                points.append((begin, 0))
            total += end - begin
            points.append((end, total))
        points.append((ends[sample], 0))
    return points
