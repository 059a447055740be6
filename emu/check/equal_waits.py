"""Property: a wait for an exact value meets it in every order of syncs, not only where the later ones come late."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

import numpy as np

from emu.check.clocks import Clocks
from emu.check.verdict import PROVED, PropertyResult
from emu.isa.instruction import FLAG_BITS
from emu.noc.ports.port import FlowControl
from emu.replay.core_view import FIRST_SAMPLE
from emu.replay.traces import SYNC, WAIT, Conversation

MAX_CLOCKS = 1 << 27  # entries of vector clocks
MAX_PAIRS = 1 << 21  # of a wait and a sync


def check_equal_waits(
    talk: Conversation, events: Mapping[tuple[int, int], int], flow: FlowControl | None
) -> PropertyResult:
    """Unproved if a sync that is meant for a later wait on the same register may come before an earlier one ends.

    Then every wait sees at most its value, so that exactly and at least are the same: what is proved of the latter
    holds. `events` are what `init` leaves; `flow` as for `Clocks`.
    """
    traces = talk.traces["main"]
    waits = {register: rows for core in traces for register, rows in _equal_waits(talk, core).items()}
    several = {register: rows for register, rows in waits.items() if len(rows) > 1 or events.get(register)}
    if not several:
        return PROVED  # what `init` and the syncs of a sample add up to is what the only wait takes
    syncs = {register: _syncs(talk, register) for register in several}
    entries = sum(map(len, syncs.values())) + sum(map(len, traces.values()))
    pairs = sum(len(rows) * len(syncs[register]) for register, rows in several.items())
    if len(traces) * entries > MAX_CLOCKS or pairs > MAX_PAIRS:
        return PropertyResult.unproved(
            "there are too many waits for an exact value to tell in which order their syncs come"
        )
    clocks = Clocks(traces, flow, {epoch for epochs in syncs.values() for epoch in epochs}, events)
    for (core, event), rows in several.items():
        trace = traces[core]
        for row, taken in zip(rows, accumulate(trace.amount[rows].tolist()), strict=True):
            early = sum(not clocks.before((core, row), epoch) for epoch in syncs[core, event])
            if early + events.get((core, event), 0) > taken:
                place = talk.place(core, "main", row, FIRST_SAMPLE)
                return PropertyResult.unproved(
                    f"core {core} at {place}: waits until event {event} has exactly its value, and syncs for a later"
                    " wait may come before that"
                )
    return PROVED


def _equal_waits(talk: Conversation, core: int) -> dict[tuple[int, int], list[int]]:
    """By (core, event) all waits on registers of which one waits for an exact value: their places in the trace."""
    trace = talk.traces["main"][core]
    rows = np.flatnonzero(trace.kind == WAIT)
    if not len(rows):
        return {}
    flags = talk.programs[core].main.columns["flags"][trace.instruction[rows]]
    exact = (flags & FLAG_BITS["equal"]) != 0
    found = {(core, event): rows[trace.peer[rows] == event].tolist() for event in np.unique(trace.peer[rows[exact]])}
    return {(core, int(event)): places for (core, event), places in found.items()}


def _syncs(talk: Conversation, register: tuple[int, int]) -> list[tuple[int, int]]:
    """The syncs of an event register as (core, place in its trace)."""
    owner, event = register
    return [
        (core, row)
        for core, trace in talk.traces["main"].items()
        for row in np.flatnonzero((trace.kind == SYNC) & (trace.peer == owner) & (trace.amount == event)).tolist()
    ]
