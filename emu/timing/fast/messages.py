"""Sends and receives: under rendezvous each waits for the other, with credits a send waits for room only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from emu.isa.instruction import RequestKind as Kind
from emu.timing.basis.result import Cause
from emu.timing.fast.body import RequestCosts
from emu.timing.fast.party import Party
from emu.timing.fast.shared import SharedResources
from emu.timing.fast.ways import NetworkWay, Ways

Asked = tuple[Party, RequestCosts, int]  # who, what, and when it is set up
Ready = list[tuple[Party, int | None]]  # who may go on, and the end of what it has asked for
Pair = tuple[int, int]  # sender and receiver


class Messages(ABC):
    """What is under way between cores since power-on."""

    def __init__(self, shared: SharedResources, ways: Ways, ready: Ready) -> None:
        self._shared, self._ways, self._ready = shared, ways, ready

    @abstractmethod
    def request(self, party: Party, ask: RequestCosts, ready: int) -> None:
        """A core sends or receives, from `ready` on."""

    @abstractmethod
    def snapshot(self, now: int, starts: Mapping[int, int]) -> Hashable:
        """What concerns the cores `starts`, relative to `now`; what came before the last start there comes then."""


class Rendezvous(Messages):
    """Of each pair of cores, the side that has come waits for the other one."""

    def __init__(self, shared: SharedResources, ways: Ways, ready: Ready) -> None:
        super().__init__(shared, ways, ready)
        self._waiting: dict[Pair, Asked] = {}

    def request(self, party: Party, ask: RequestCosts, ready: int) -> None:
        """As in Messages."""
        sends = ask.kind == Kind.SEND
        pair = (party.core, ask.first) if sends else (ask.first, party.core)
        other = self._waiting.pop(pair, None)
        if other is None:
            self._waiting[pair] = party, ask, ready
        elif sends:
            self._meet((party, ask, ready), other)
        else:
            self._meet(other, (party, ask, ready))

    def snapshot(self, now: int, starts: Mapping[int, int]) -> Hashable:
        """As in Messages."""
        return frozenset((pair, ask.kind) for pair, (_, ask, _) in self._waiting.items() if pair[0] in starts)

    def _meet(self, sender: Asked, receiver: Asked) -> None:
        (party, ask, ready), (peer, want, wanted) = sender, receiver
        way, tally = self._ways.way(party.core, peer.core), self._shared.tally
        src, dst, there, back, *_ = way
        asked = ready + there
        granted = max(asked, wanted)
        injected = party.use(granted + back, ask.read)
        tally.peer(src, Cause.RECEIVER, dst, granted - asked)
        tally.peer(dst, Cause.SENDER, src, granted - wanted)

        def arrive(tail: int, left: int) -> None:
            tally.blocked[dst, Cause.NETWORK] += tail - granted
            taken = peer.use(tail, want.write)
            end = max(taken, left) + back
            tally.blocked[src, Cause.NETWORK] += there + back + end - injected
            self._ready += ((peer, taken), (party, end))

        self._ways.inject(injected, src, way, ask.wire, arrive, (granted,))


@dataclass(slots=True)
class _Channel:
    """An ordered pair of cores, since power-on. `spare` credits have never been used, `returned` come at such times.

    `mail` are messages: when injected, and when their tails come.
    """

    way: NetworkWay
    spare: int
    returned: deque[int] = field(default_factory=deque[int])
    mail: deque[tuple[int, int]] = field(default_factory=deque[tuple[int, int]])
    sender: Asked | None = None
    receiver: Asked | None = None


class Credits(Messages):
    """Each pair of cores has so many `credits`: messages that no receive has taken."""

    def __init__(self, shared: SharedResources, ways: Ways, ready: Ready, credits: int) -> None:
        super().__init__(shared, ways, ready)
        self._credits = credits
        self._channels: dict[Pair, _Channel] = {}

    def request(self, party: Party, ask: RequestCosts, ready: int) -> None:
        """As in Messages."""
        if ask.kind == Kind.SEND:
            self._send(party, ask, ready)
        else:
            self._recv(party, ask, ready)

    def snapshot(self, now: int, starts: Mapping[int, int]) -> Hashable:
        """As in Messages."""
        return tuple(
            (
                src,
                dst,
                channel.spare,
                tuple([max(time, starts[src]) - now for time in channel.returned]),
                tuple([max(time, starts[dst]) - now for message in channel.mail for time in message]),
                channel.sender is None,
                channel.receiver is None,
            )
            for (src, dst), channel in self._channels.items()
            if src in starts
        )

    def _channel(self, src: int, dst: int) -> _Channel:
        known = self._channels.get((src, dst))
        if known is None:
            known = self._channels[src, dst] = _Channel(self._ways.way(src, dst), self._credits)
        return known

    def _send(self, party: Party, ask: RequestCosts, ready: int) -> None:
        channel = self._channel(party.core, ask.first)
        if channel.spare:
            channel.spare -= 1
            self._granted(channel, party, ask, ready, ready)
        elif channel.returned:
            self._granted(channel, party, ask, ready, max(ready, channel.returned.popleft()))
        else:
            channel.sender = party, ask, ready

    def _granted(self, channel: _Channel, party: Party, ask: RequestCosts, ready: int, granted: int) -> None:
        core, tally = party.core, self._shared.tally
        tally.peer(core, Cause.RECEIVER, ask.first, granted - ready)
        injected = party.use(granted, ask.read)

        def arrive(tail: int, left: int) -> None:
            tally.blocked[core, Cause.NETWORK] += left - injected
            self._ready.append((party, left))
            channel.mail.append((injected, tail))
            if channel.receiver is not None:
                receiver, channel.receiver = channel.receiver, None
                self._take(channel, *receiver)

        self._ways.inject(injected, core, channel.way, ask.wire, arrive)

    def _recv(self, party: Party, ask: RequestCosts, ready: int) -> None:
        channel = self._channel(ask.first, party.core)
        if channel.mail:
            self._take(channel, party, ask, ready)
        else:
            channel.receiver = party, ask, ready

    def _take(self, channel: _Channel, party: Party, ask: RequestCosts, ready: int) -> None:
        core, tally = party.core, self._shared.tally
        injected, tail = channel.mail.popleft()
        tally.peer(core, Cause.SENDER, ask.first, max(0, injected - ready))
        tally.blocked[core, Cause.NETWORK] += max(0, tail - max(ready, injected))
        end = party.use(max(ready, tail), ask.write)
        self._ready.append((party, end))
        channel.returned.append(end + channel.way.back)
        if channel.sender is not None:
            (peer, send, since), channel.sender = channel.sender, None
            self._granted(channel, peer, send, since, max(since, channel.returned.popleft()))
