"""Matches the sends and receives of a run, from the events of its cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from launch.tracing.events import OPEN, EventKind

FLOWS = 1 << 32  # where the numbers of flows begin: those of simulated time are lower

Key = tuple[int, int, int]  # sender, receiver, number


@dataclass(frozen=True, slots=True)
class TracedMessage:
    """A message with both ends: when its send began and its receive ended (ns, not before), and its bytes."""

    flow: int
    sent: int
    taken: int
    size: int


@dataclass(frozen=True, slots=True)
class TracedMessages:
    """`known` messages, and those `untaken` when the run ends: receiver, begin of the send, bytes."""

    known: Mapping[Key, TracedMessage]
    untaken: list[tuple[int, int, int]]


def messages_of(events: Mapping[int, np.ndarray], complete: Mapping[int, bool], began: int) -> TracedMessages:
    """The messages of `events`, by core, with times from `began` on; `complete`: none of a core's events is lost.

    Of a message whose receive may be among lost events nothing is said.
    """
    taken = {(peer, core, number): end for core, peer, number, _, end, _ in _of(events, EventKind.RECV) if end != OPEN}
    known: dict[Key, TracedMessage] = {}
    untaken: list[tuple[int, int, int]] = []
    for core, peer, number, begin, _, size in _of(events, EventKind.SEND):
        end = taken.get((core, peer, number))
        if end is not None:
            sent = min(begin, end)  # clocks of two hosts may be a little apart
            known[core, peer, number] = TracedMessage(FLOWS + len(known), sent - began, end - began, size)
        elif complete.get(peer, False):
            untaken.append((peer, begin - began, size))
    return TracedMessages(known, untaken)


def _of(events: Mapping[int, np.ndarray], kind: EventKind) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Core, peer, number, begin, end and bytes of all events of a kind."""
    for core, rows in events.items():
        chosen = rows[rows["kind"] == kind]
        columns = (chosen[name].tolist() for name in ("other", "number", "begin", "end", "size"))
        yield from ((core, *values) for values in zip(*columns, strict=True))
