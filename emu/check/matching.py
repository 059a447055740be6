"""Property: for every pair of cores sends and receives agree in number and in every size, and no sync is left over."""

from __future__ import annotations

import numpy as np

from emu.check.verdict import PROVED, Finding, PropertyResult
from emu.core.trap import INIT_SAMPLE
from emu.replay.core_view import FIRST_SAMPLE
from emu.replay.traces import RECV, SEND, SYNC, WAIT, Conversation, ExchangeTrace, syncs_of
from emu.wording import counted

Pair = tuple[int, int]


def check_matching(talk: Conversation) -> PropertyResult:
    """Refuted by the first message (of the lowest pair) that has no partner, or one of another size.

    Then by the first sync of the lowest event register that a sample syncs more often than its waits take. (What waits
    need beyond that `init` may have left, or they deadlock.)
    """
    for section, traces in talk.traces.items():
        sent = {(core, peer): at for core, trace in traces.items() for peer, at in _by_peer(trace, SEND).items()}
        taken = {(peer, core): at for core, trace in traces.items() for peer, at in _by_peer(trace, RECV).items()}
        for pair in sorted(sent.keys() | taken.keys()):
            finding = _compare(talk, section, pair, sent.get(pair, _NO), taken.get(pair, _NO))
            if finding is not None:
                return PropertyResult.refuted(finding)
    finding = _left_over(talk)
    return PROVED if finding is None else PropertyResult.refuted(finding)


def _left_over(talk: Conversation) -> Finding | None:
    """A sync of `main` that no wait of its sample takes."""
    traces = talk.traces["main"]
    for register, by_core in sorted(syncs_of(traces).items()):
        (owner, event), count = register, sum(by_core.values())
        taken = _taken(traces[owner], event) if owner in traces else 0
        if count > taken:
            core = min(by_core)
            trace = traces[core]
            at = int(np.argmax((trace.kind == SYNC) & (trace.peer == owner) & (trace.amount == event)))
            times = f"{count} time{'s' if count > 1 else ''}"
            reason = (
                f"a sample syncs event {event} of core {owner} {times} and waits for {taken}: "
                "what is left over is of no use to a later sample"
            )
            return Finding(core, talk.place(core, "main", at, FIRST_SAMPLE), reason)
    return None


def _taken(trace: ExchangeTrace, event: int) -> int:
    """What the waits of one core take from its register `event`."""
    return int(trace.amount[(trace.kind == WAIT) & (trace.peer == event)].sum())


_NO = np.zeros(0, np.int64)


def _by_peer(trace: ExchangeTrace, kind: int) -> dict[int, np.ndarray]:
    """The positions of the messages with each peer, in order."""
    rows = np.flatnonzero(trace.kind == kind)
    order = rows[np.argsort(trace.peer[rows], kind="stable")]
    peers, first = np.unique(trace.peer[order], return_index=True)
    return dict(zip(peers.tolist(), np.split(order, first[1:]), strict=True)) if len(order) else {}


def _compare(talk: Conversation, section: str, pair: Pair, sent: np.ndarray, taken: np.ndarray) -> Finding | None:
    src, dst = pair
    traces, common = talk.traces[section], min(len(sent), len(taken))
    sample = FIRST_SAMPLE if section == "main" else INIT_SAMPLE
    out = traces[src].amount[sent] if src in traces else _NO
    wanted = traces[dst].amount[taken] if dst in traces else _NO
    differ = out[:common] != wanted[:common]
    if differ.any():
        at = int(np.argmax(differ))
        place = talk.place(dst, section, int(taken[at]), sample)
        origin = talk.place(src, section, int(sent[at]), sample)
        size, expected = int(out[at]), int(wanted[at])
        sizes = counted(size, "byte"), counted(expected, "byte")
        reason = f"message {at}, which core {src} sent at {origin} with {sizes[0]}, meets a receive of {sizes[1]}"
        return Finding(dst, place, reason, "size", size, expected)
    if len(sent) > common:
        place = talk.place(src, section, int(sent[common]), sample)
        return Finding(src, place, f"message {common} to core {dst} is never received: {_numbers(pair, sent, taken)}")
    if len(taken) > common:
        place = talk.place(dst, section, int(taken[common]), sample)
        return Finding(dst, place, f"message {common} from core {src} is never sent: {_numbers(pair, sent, taken)}")
    return None


def _numbers(pair: Pair, sent: np.ndarray, taken: np.ndarray) -> str:
    src, dst = pair
    return f"core {src} sends {counted(len(sent), 'message')} to core {dst}, which receives {len(taken)}"
