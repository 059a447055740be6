"""Property: global memory holds the same whatever the timing, inputs stay as they are and outputs are complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from emu.arch import Arch
from emu.check.clocks import Clocks, Epoch
from emu.check.verdict import PROVED, Finding, Outcome, PropertyResult
from emu.image.manifest import ReadOnlySpec
from emu.intervals import EMPTY, Spans, merge
from emu.noc.memory.read_only import overwrites
from emu.noc.ports.port import FlowControl
from emu.replay.core_view import CoreView, SectionView
from emu.replay.global_accesses import GlobalAccesses
from emu.replay.traces import Conversation
from emu.wording import address_text

MAX_PAIRS = 1 << 21  # of accesses, looked at one by one
MAX_CLOCKS = 1 << 27  # entries of vector clocks
Named = tuple[int, int, str]  # [begin, end) of a tensor's tile


@dataclass(frozen=True, eq=False)
class SharedAccesses:
    """Global accesses of one sample, tiles of inputs and outputs, read-only tensors, events that `init` leaves.

    `in_place`: bytes of inputs may be stored, too, in an order with their loads that messages make.

    `flow` is the one whose acknowledgements order accesses, too: None for messages alone, hence every flow.
    """

    talk: Conversation
    accesses: GlobalAccesses
    misplaced: Finding | None  # a global access where there is no sample
    inputs: Sequence[Named]
    outputs: Sequence[Named]
    read_only: Sequence[ReadOnlySpec]
    events: Mapping[tuple[int, int], int]
    arch: Arch
    flow: FlowControl | None
    in_place: bool = False

    @cached_property
    def given(self) -> Spans:
        """The bytes that need no store: of inputs and read-only tensors."""
        return _spans([*self.inputs, *((spec.address, spec.end, spec.name) for spec in self.read_only)])

    @cached_property
    def conflicts(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Pairs (store, other access) of different cores that share a byte; None if they are too many."""
        pairs = overlaps(self.accesses)
        if pairs is None:
            return None
        apart = self.accesses.core[pairs[0]] != self.accesses.core[pairs[1]]
        return pairs[0][apart], pairs[1][apart]

    def epoch(self, access: int) -> Epoch:
        """Between which messages an access happens."""
        return int(self.accesses.core[access]), int(self.accesses.epoch[access])

    def finding(
        self, access: int, reason: str, value: int | None = None, limit: int | None = None, operand: str | None = None
    ) -> Finding:
        """A fault of one access; it names the operand that reaches global memory unless `operand` says otherwise."""
        core, row = int(self.accesses.core[access]), int(self.accesses.row[access])
        view = SectionView(self.talk.programs[core], self.arch, "main")
        index, time = int(view.accesses.instruction[row]), int(self.accesses.time[access])
        role = view.accesses.role(row) if operand is None else operand
        return Finding.of(view, index, time, reason, role, value, limit)


def misplaced(core: CoreView) -> Finding | None:
    """The first access of `init` to global memory."""
    view = core.sections["init"]
    rows = view.global_rows
    if not len(rows):
        return None
    index = int(view.accesses.instruction[rows[0]])
    reason = "no sample is under way in init, and global memory belongs to a sample"
    return Finding.of(view, index, int(view.timeline.start[index]), reason, view.accesses.role(int(rows[0])))


def _spans(ranges: Sequence[Named]) -> Spans:
    pairs = np.array([entry[:2] for entry in ranges], np.int64).reshape(-1, 2)
    return merge(pairs[:, 0], pairs[:, 1])


def overlaps(a: GlobalAccesses) -> tuple[np.ndarray, np.ndarray] | None:
    """Pairs (store, other access) that share a byte, each pair of stores once; None if they are too many."""
    order = np.argsort(a.low, kind="stable")
    low, high = a.low[order], np.maximum.accumulate(a.high[order])
    stores = np.flatnonzero((a.write == 1) & (a.low < a.high))
    first = np.searchsorted(high, a.low[stores], "right")
    counts = np.maximum(np.searchsorted(low, a.high[stores], "left") - first, 0)
    if counts.sum() > MAX_PAIRS:
        return None
    one = np.repeat(stores, counts)
    two = order[np.arange(len(one)) + np.repeat(first - (np.cumsum(counts) - counts), counts)]
    shared = (a.low[two] < a.high[one]) & (a.low[one] < a.high[two]) & ((a.write[two] == 0) | (one < two))
    return one[shared], two[shared]


def check_races(memory: SharedAccesses) -> PropertyResult:
    """Refuted by the first conflict that nothing orders, or a range that is not as it must be.

    With a `flow` given, an order that only acknowledgements make is enough.
    """
    a = memory.accesses
    if memory.misplaced is not None:
        return PropertyResult.refuted(memory.misplaced)
    overwritten = _stored_read_only(memory) or (None if memory.in_place else _overwritten(memory))
    if overwritten is not None:
        return PropertyResult.refuted(overwritten)
    if memory.conflicts is None:
        return PropertyResult.unproved(f"more than {MAX_PAIRS} pairs of accesses share bytes of global memory")
    result = _ordered(memory)
    if result.outcome is Outcome.PROVED:
        result = _outputs(memory)
    if result.outcome is not Outcome.REFUTED and a.reasons:
        return PropertyResult.unproved(a.reasons[0])
    return result


def _stored_read_only(memory: SharedAccesses) -> Finding | None:
    """The first store of the first core that meets a read-only tensor, in the words of the trap that it makes."""
    a, tensors = memory.accesses, sorted((s for s in memory.read_only if s.nbytes), key=lambda spec: spec.address)
    if not tensors:
        return None
    begins, ends = np.array([(spec.address, spec.end) for spec in tensors], np.int64).T
    lowest = np.minimum(np.searchsorted(ends, a.low, "right"), len(tensors) - 1)  # the first that each may meet
    hit = np.flatnonzero((a.write == 1) & (begins[lowest] < a.high) & (a.low < ends[lowest]) & (a.low < a.high))
    if not len(hit):
        return None
    first = int(hit[np.lexsort((a.time[hit], a.core[hit]))[0]])
    spec = tensors[int(lowest[first])]
    value = max(spec.address, int(a.low[first]))
    return memory.finding(first, overwrites(spec.name, spec.end), value, spec.end, operand="")  # nor does a port


def _overwritten(memory: SharedAccesses) -> Finding | None:
    a = memory.accesses
    for low, high, name in memory.inputs:
        hit = np.flatnonzero((a.write == 1) & (a.low < high) & (low < a.high))
        if len(hit):
            worst = int(hit[np.argmin(a.time[hit])])
            address = max(low, int(a.low[worst]))
            return memory.finding(worst, f"overwrites input {name}, which ends at {address_text(high)}", address, high)
    return None


def _outputs(memory: SharedAccesses) -> PropertyResult:
    a = memory.accesses
    stored = merge(a.low[a.write == 1], a.high[a.write == 1]).union(memory.given.begin, memory.given.end)
    for low, high, name in memory.outputs:
        gap = stored.first_gap(low, high)
        if gap is not None:
            at, begin, end = map(address_text, (gap, low, high))
            detail = f"no core stores byte {at} of global memory, which output {name} at {begin} to {end} needs"
            return PropertyResult.unproved(a.reasons[0]) if a.reasons else PropertyResult(Outcome.REFUTED, detail)
    return PROVED


def _ordered(memory: SharedAccesses) -> PropertyResult:
    a, (one, two) = memory.accesses, memory.conflicts or (EMPTY.begin, EMPTY.begin)
    thirsty = np.flatnonzero((a.write == 0) & ~memory.given.covers(a.low, a.high))
    if not len(one) and not len(thirsty):
        return PROVED
    involved = {memory.epoch(access) for access in np.unique(np.concatenate((one, two, thirsty))).tolist()}
    traces = memory.talk.traces["main"]
    if len(traces) * (len(involved) + sum(map(len, traces.values()))) > MAX_CLOCKS:
        return PropertyResult.unproved(
            "cores share bytes of global memory, with too many messages to tell in which order"
        )
    clocks = Clocks(traces, memory.flow, involved, memory.events)
    for first, second in zip(one.tolist(), two.tolist(), strict=True):
        here, there = memory.epoch(first), memory.epoch(second)
        if not clocks.before(here, there) and not clocks.before(there, here):
            return _race(memory, first, second)
    return _sources(memory, clocks, thirsty)


def _race(memory: SharedAccesses, first: int, second: int) -> PropertyResult:
    a = memory.accesses
    other = memory.finding(second, "")
    verb = "stores" if a.write[second] else "loads"
    value = max(int(a.low[first]), int(a.low[second]))
    reason = f"stores bytes that core {other.core} {verb} at {other.place}, and no message orders the two"
    result = PropertyResult.refuted(memory.finding(first, reason, value))
    if memory.flow is not None or check_races(replace(memory, flow=FlowControl())).outcome is not Outcome.PROVED:
        return result
    return PropertyResult.unproved(f"ordered by rendezvous only, not under credits: {result.detail}")


def _sources(memory: SharedAccesses, clocks: Clocks, loads: np.ndarray) -> PropertyResult:
    """Every load finds its bytes stored before (by its own core, or ordered by messages), or given as input."""
    a, stores = memory.accesses, np.flatnonzero(memory.accesses.write == 1)
    if len(loads) * max(1, len(stores)) > MAX_PAIRS:
        return PropertyResult.unproved(f"more than {MAX_PAIRS} pairs of loads and stores of global memory")
    for load in loads.tolist():
        near = stores[(a.low[stores] < a.high[load]) & (a.low[load] < a.high[stores])].tolist()
        here = int(a.core[load])
        earlier = [
            store
            for store in near
            if (
                a.time[store] < a.time[load]
                if a.core[store] == here
                else clocks.before(memory.epoch(store), memory.epoch(load))
            )
        ]
        gap = memory.given.union(a.low[earlier], a.high[earlier]).first_gap(int(a.low[load]), int(a.high[load]))
        if gap is not None and not a.reasons:
            return PropertyResult.refuted(
                memory.finding(load, "loads global memory that no one has stored before", gap)
            )
    return PROVED
