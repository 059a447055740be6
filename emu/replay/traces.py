"""The trace of each core: its communication instructions in order, without what it computes in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from emu.isa.codes import ASK_OF, asking
from emu.isa.instruction import RequestKind
from emu.noc.deadlock.place import ProgramPlace, place_of
from emu.operands.timeline import TooMuch, make_timeline
from emu.program.program import Program
from emu.replay.core_view import CoreView, SectionView

SEND, RECV, SYNC, WAIT = (
    int(kind) for kind in (RequestKind.SEND, RequestKind.RECV, RequestKind.SYNC, RequestKind.WAIT)
)
MAX_MESSAGES = 4_000_000  # of one core and section


@dataclass(frozen=True, eq=False)
class ExchangeTrace:
    """Executions of communication instructions in order. `peer` and `amount` are core and bytes of a message,
    core and event of a sync, event and value of a wait."""

    time: np.ndarray
    instruction: np.ndarray
    kind: np.ndarray
    peer: np.ndarray
    amount: np.ndarray

    def __len__(self) -> int:
        return len(self.time)


def make_trace(view: SectionView) -> ExchangeTrace:
    """The trace of one section; raises TooMuch."""
    col = view.section.columns
    index = np.flatnonzero(asking(col["op"], SEND, RECV, SYNC, WAIT))
    times, order = view.timeline.trace(index, MAX_MESSAGES, "messages of one core")
    kind = ASK_OF[col["op"][order]].astype(np.int64)
    peer = np.where(kind == WAIT, col["arg1"][order], col["arg0"][order])
    by_kind = {SEND: "n", RECV: "n", SYNC: "arg1", WAIT: "arg0"}
    amount = np.select([kind == code for code in by_kind], [col[column][order] for column in by_kind.values()])
    return ExchangeTrace(times, order, kind, peer, amount)


def syncs_of(traces: Mapping[int, ExchangeTrace]) -> dict[tuple[int, int], dict[int, int]]:
    """By (core, event) of the register: how many syncs each core sends to it, by core in the order of `traces`."""
    counts: dict[tuple[int, int], dict[int, int]] = {}
    for core, trace in traces.items():
        syncs = trace.kind == SYNC
        for register in zip(trace.peer[syncs].tolist(), trace.amount[syncs].tolist(), strict=True):
            by_core = counts.setdefault(register, {})
            by_core[core] = by_core.get(core, 0) + 1
    return counts


@dataclass(frozen=True, eq=False)
class Conversation:
    """The traces of all cores, by section. `programs` are read again only to name places."""

    traces: Mapping[str, Mapping[int, ExchangeTrace]]
    programs: Mapping[int, Program]

    def place(self, core: int, section: str, position: int, sample: int) -> ProgramPlace:
        """Where entry `position` of a core's trace stands in its program."""
        trace = self.traces[section][core]
        program = self.programs[core]
        index = int(trace.instruction[position])
        timeline = make_timeline(program.main if section == "main" else program.init)
        return place_of(program, section, index, timeline.counters(index, int(trace.time[position])), sample)


def core_traces(core: CoreView) -> dict[str, ExchangeTrace]:
    """The traces of one core by section; raises TooMuch."""
    try:
        return {name: make_trace(view) for name, view in core.sections.items()}
    except TooMuch as much:
        raise TooMuch(f"core {core.program.core}: {much}") from None
