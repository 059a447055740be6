"""All cores of a chip without data: counters of messages and events alone; linear in messages, exact about deadlock.

Matching has no choice, so the outcome does not depend on the order in which cores take their turns: `run` takes them as
they come; who needs another order, such as that of simulated time, calls `advance` itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from emu.noc.ports.port import FlowControl
from emu.replay.traces import RECV, SEND, SYNC, WAIT, ExchangeTrace

ALL = 1 << 62  # entries of a trace


@dataclass(slots=True)
class ReplayedChannel:
    """An ordered pair: messages sent and taken since power-on."""

    sent: int = 0
    taken: int = 0


@dataclass(slots=True)
class InitState:
    """What outlives `init`: message counters of the pairs, and the event registers that every sample begins with."""

    channels: dict[tuple[int, int], ReplayedChannel] = field(default_factory=dict)
    events: dict[tuple[int, int], int] = field(default_factory=dict)

    def channel(self, src: int, dst: int) -> ReplayedChannel:
        """The counters of an ordered pair."""
        channel = self.channels.get((src, dst))
        if channel is None:
            channel = self.channels[src, dst] = ReplayedChannel()
        return channel


Step = tuple[int, int]  # core, position in its trace


class AbstractRun:
    """One section of all cores under a flow; `log` is given every completed step in order."""

    def __init__(
        self, traces: Mapping[int, ExchangeTrace], flow: FlowControl, state: InitState, log: list[Step] | None = None
    ) -> None:
        self._flow, self._state, self._log = flow, state, log
        self._kinds = {core: trace.kind.tolist() for core, trace in traces.items()}
        self._peers: dict[int, list[int]] = {core: trace.peer.tolist() for core, trace in traces.items()}
        self._amounts: dict[int, list[int]] = {core: trace.amount.tolist() for core, trace in traces.items()}
        self.at, self._cores = dict.fromkeys(traces, 0), set(traces)  # position of each core
        self._sent: set[int] = set()  # cores whose present send has given its memory away, and not ended yet

    @property
    def blocked(self) -> list[int]:
        """The cores that have not come to their end."""
        return [core for core, at in self.at.items() if at < len(self._kinds[core])]

    def run(self) -> bool:
        """Let cores take turns as they become able to; whether all reach their end."""
        turns, queued = deque(self.at), set(self.at)
        while turns:
            core = turns.popleft()
            queued.discard(core)
            for other in self.advance(core):
                if other not in queued:
                    queued.add(other)
                    turns.append(other)
        return not self.blocked

    def advance(self, core: int, most: int = ALL) -> set[int]:
        """Complete entries of the trace of `core` until it blocks, or `most` of them.

        Returns the cores that may be able to go on now, itself among them if it stopped at `most`.
        """
        kinds, peers, amounts = self._kinds[core], self._peers[core], self._amounts[core]
        at, log, woken = self.at[core], self._log, set[int]()
        end = last = len(kinds)
        if at + most < last:
            end = at + most
        state, flow, lends = self._state, self._flow, self._flow.lends
        while at < end:
            kind, peer = kinds[at], peers[at]
            if kind == SEND:
                channel = state.channel(core, peer)
                if lends and core not in self._sent:
                    self._sent.add(core)
                    channel.sent += 1
                    woken.add(peer)
                if channel.taken < flow.need(channel.sent - lends):
                    break
                if lends:
                    self._sent.discard(core)
                else:
                    channel.sent += 1
                    woken.add(peer)
            elif kind == RECV:
                channel = state.channel(peer, core)
                if channel.taken >= channel.sent:
                    break
                channel.taken += 1
                woken.add(peer)
            elif kind == SYNC:
                target = (peer, amounts[at])
                state.events[target] = state.events.get(target, 0) + 1
                woken.add(peer)
            elif kind == WAIT:
                if state.events.get((core, peer), 0) < amounts[at]:
                    break
                state.events[core, peer] = state.events.get((core, peer), 0) - amounts[at]
            if log is not None:
                log.append((core, at))
            at += 1
        else:
            if at < last:
                woken.add(core)
        self.at[core] = at
        woken &= self._cores  # a peer may have no program at all
        return woken

    def waits(self, core: int) -> tuple[int, int, int]:
        """(kind, peer or -1, index of the message of the pair, or event) of what a blocked core waits for."""
        at = self.at[core]
        kind, peer = self._kinds[core][at], self._peers[core][at]
        if kind == WAIT:
            return kind, -1, peer
        channel = self._state.channel(core, peer) if kind == SEND else self._state.channel(peer, core)
        if kind == RECV:
            return kind, peer, channel.taken
        return kind, peer, channel.sent - (core in self._sent)
