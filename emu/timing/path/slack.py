"""Slack: how much later a part of the first sample could come without the sample ending later.

Each core is taken as rigid: what comes later in it is later by as much. So the slack is no more than what is really
there. Not known where links or ports are contended: there whoever comes later lets others go first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from emu.isa.instruction import RequestKind as Kind
from emu.timing.path.decided import MAIN, At
from emu.timing.path.path import TracedSample

NONE = 1 << 62  # of what nothing depends on


def has_slack(found: TracedSample) -> bool:
    """Whether it can be told."""
    return not found.setup.network.waits


def instruction_slack(found: TracedSample) -> dict[int, np.ndarray]:
    """By core, the least slack (ps) of the executions of each instruction of `main`, int64 [instructions].

    What does not run has the slack of the whole sample.
    """
    late = _Late(found)
    slack: dict[int, np.ndarray] = {}
    whole = late.end - found.timing.main.begin
    for place, core in enumerate(found.timing.cores):
        trace = found.run.of[MAIN, core]
        least = np.full(len(found.setup.cores[core].program.main), whole, np.int64)
        for number, (request, ran) in enumerate(zip(trace.requests, trace.ran, strict=False)):
            start, end = (late.slack(At(MAIN, core, number, over)) for over in (False, True))
            _lower(least, ran, start)
            least[request.index] = min(int(least[request.index]), start, end)
        _lower(least, trace.ran[-1], late.end - int(found.timing.main.ends[place, 0]))
        slack[core] = least
    return slack


def _lower(least: np.ndarray, blocks: Iterable[tuple[int, int]], slack: int) -> None:
    for begin, end in blocks:
        np.minimum(least[begin:end], slack, out=least[begin:end])


class _Late:
    """The slack of the moments of requests, from the last one to the first."""

    def __init__(self, found: TracedSample) -> None:
        self._found, self._decided = found, found.decided
        self.end = int(found.timing.main.ends[:, 0].max(initial=found.timing.main.begin))
        self._least: defaultdict[At, int] = defaultdict(lambda: NONE)
        decided = found.decided
        ends = [at._replace(end=True) for at in decided.all(MAIN)]
        for core, end in zip(found.timing.cores, found.timing.main.ends[:, 0].tolist(), strict=True):
            count = len(found.run.of[MAIN, core].requests)
            if count:  # the rest of the core follows its last request
                for over in (True, False):
                    self._least[At(MAIN, core, count - 1, over)] = self.end - end
        order = sorted([*ends, *decided.all(MAIN)], key=lambda at: (decided.time(at), at.number, at.end), reverse=True)
        self._changed = True
        while self._changed:  # once, and again only for what takes no time between cores
            self._changed = False
            for at in order:
                self._hand_on(at)

    def slack(self, at: At) -> int:
        """Of a start or an end."""
        return min(self._least[at], self.end - self._found.timing.main.begin)

    def _hand_on(self, at: At) -> None:
        if at.end:
            for earlier, wait in self._causes(at):
                self._lower(earlier, self._least[at] + wait)
        elif at.number:
            for over in (True, False):  # operations need not wait for the request before them: its start counts too
                self._lower(at._replace(number=at.number - 1, end=over), self._least[at])

    def _lower(self, at: At, slack: int) -> None:
        if at.section == MAIN and slack < self._least[at]:
            self._least[at], self._changed = slack, True

    def _causes(self, at: At) -> list[tuple[At, int]]:
        """All moments that the end of a request follows from, and how much later than each of them it could be."""
        decided, own, kind = self._decided, at._replace(end=False), self._decided.ask(at).kind
        ready = decided.ready(own)
        if kind == Kind.WAIT:
            event = decided.event(own)
            time = decided.time(at)
            return [(own, time - ready), *([(event.sync, time - event.time)] if event else [])]
        if kind not in (Kind.SEND, Kind.RECV):
            return [(own, 0)]
        send, recv = decided.pair(own)
        if not self._found.setup.credits:
            asked, wanted = decided.asked_at(send), decided.ready(recv)
            granted = max(asked, wanted)
            return [(send, granted - asked), (recv, granted - wanted)]
        freed = decided.freed_by(send)
        sent, credit = decided.ready(send), decided.credit_at(freed, send) if freed is not None else 0
        granted = max(sent, credit)
        causes = [(send, granted - sent), *([(freed, granted - credit)] if freed is not None else [])]
        if kind == Kind.SEND:
            return causes
        ask, network = decided.ask(send), self._found.setup.network
        way = ask.read + network.distance(send.core, own.core) + network.lag(send.core, own.core, ask.wire)
        taken = decided.time(at) - decided.ask(own).write
        return [(own, taken - ready), *((cause, taken - granted - way + wait) for cause, wait in causes)]
