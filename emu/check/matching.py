"""Property: for every ordered pair of cores, sends and receives of a section agree in number and in every size."""

from __future__ import annotations

import numpy as np

from emu.check.core_view import FIRST_SAMPLE
from emu.check.traces import RECV, SEND, Conversation, Trace
from emu.check.verdict import PROVED, Finding, Result
from emu.noc.place import INIT_SAMPLE
from emu.wording import counted

Pair = tuple[int, int]


def check_matching(talk: Conversation) -> Result:
    """Refuted by the first message (of the lowest pair) that has no partner, or one of another size."""
    for section, traces in talk.traces.items():
        sent = {(core, peer): at for core, trace in traces.items() for peer, at in _by_peer(trace, SEND).items()}
        taken = {(peer, core): at for core, trace in traces.items() for peer, at in _by_peer(trace, RECV).items()}
        for pair in sorted(sent.keys() | taken.keys()):
            finding = _compare(talk, section, pair, sent.get(pair, _NO), taken.get(pair, _NO))
            if finding is not None:
                return Result.refuted(finding)
    return PROVED


_NO = np.zeros(0, np.int64)


def _by_peer(trace: Trace, kind: int) -> dict[int, np.ndarray]:
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
        reason = f"message {at} from core {src} of {sizes[0]}, sent at {origin}, meets a receive of {sizes[1]}"
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
