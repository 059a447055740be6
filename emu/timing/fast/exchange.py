"""What passes between cores: each request goes on as soon as all is known that decides its times.

Only what is served in order of time (links, ports of the global memory), or must know all that comes before it (waits
for events), takes its turn in a queue. What follows from a service is later than it, so nothing comes too late.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from emu.isa.instruction import Ask as Kind
from emu.timing.basis.result import Cause
from emu.timing.basis.units import MEMORY
from emu.timing.fast.body import Ask
from emu.timing.fast.events import Events
from emu.timing.fast.party import Party
from emu.timing.fast.samples import Samples
from emu.timing.fast.shared import Shared
from emu.timing.fast.tally import Tally
from emu.timing.setup import Setup

Asked = tuple[Party, Ask, int]  # who, what, and when it is set up


@dataclass(slots=True)
class _Channel:
    """An ordered pair of cores, since power-on. `spare` credits have never been used, `returned` come at such times.

    `mail` are messages: when injected, and when their tails come.
    """

    spare: int
    returned: deque[int] = field(default_factory=deque[int])
    mail: deque[tuple[int, int]] = field(default_factory=deque[tuple[int, int]])
    sender: Asked | None = None
    receiver: Asked | None = None


class Exchange:
    """All that cores share, since power-on."""

    def __init__(self, setup: Setup) -> None:
        self._credits, self._network = setup.credits, setup.network
        self.shared = Shared(setup)
        self.events = Events(self.shared)
        self._channels: dict[tuple[int, int], _Channel] = {}
        self._distances: dict[tuple[int, int], int] = {}
        self._ready: list[tuple[Party, int | None]] = []  # who may go on, and the end of what it has asked for
        self._tally = Tally()
        message = (self._send, self._recv) if self._credits else (self._ask, self._want)
        self._kinds: dict[int, Callable[[Party, Ask, int], None]] = {
            Kind.SEND: message[0],
            Kind.RECV: message[1],
            Kind.SYNC: self._sync,
            Kind.WAIT: self._wait,
            Kind.LOAD: self._load,
            Kind.STORE: self._store,
        }

    def run(self, parties: Sequence[Party], begin: int, samples: range, tally: Tally) -> None:
        """Let cores that depend on no others run `samples` from `begin` on."""
        self._tally = self.shared.tally = tally
        self._samples = Samples(self, parties, tally)
        for party in parties:
            party.sample, party.last = samples.start, samples.stop
            self._next(party, begin)
        ready, kinds = self._ready, self._kinds
        while self.shared.turn():
            while ready:
                party, end = ready.pop()
                asked = party.go_on(end)
                if asked is None:
                    self._next(party, party.ends[-1])
                else:
                    ask = party.asks[asked[0]]
                    kinds[ask.kind](party, ask, asked[1] + ask.setup)
        if any(party.sample < party.last for party in parties):
            raise RuntimeError("a core waits for what never comes, in programs without a deadlock")
        self._samples.extend()

    def _next(self, party: Party, time: int) -> None:
        """The next sample of a core begins at `time`, if there is one."""

        def begin(now: int) -> None:
            self._samples.look(now, party)
            party.begin(now)
            self._ready.append((party, None))

        if party.sample < party.last:
            self.shared.at(time, party.core, begin)

    def snapshot(self, now: int, starts: Mapping[int, int]) -> Hashable:
        """The channels of the cores `starts`, relative to `now`; what came before the last start there comes then."""
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

    def distance(self, src: int, dst: int) -> int:
        """What the head of a message, or a control message, takes."""
        known = self._distances.get((src, dst))
        if known is None:
            known = self._distances[src, dst] = self._network.distance(src, dst)
        return known

    def _channel(self, src: int, dst: int) -> _Channel:
        known = self._channels.get((src, dst))
        if known is None:
            known = self._channels[src, dst] = _Channel(self._credits)
        return known

    def _ask(self, party: Party, ask: Ask, ready: int) -> None:
        """A send under rendezvous."""
        channel, sender = self._channel(party.core, ask.first), (party, ask, ready)
        if channel.receiver is None:
            channel.sender = sender
            return
        receiver, channel.receiver = channel.receiver, None
        self._meet(sender, receiver)

    def _want(self, party: Party, ask: Ask, ready: int) -> None:
        """A receive under rendezvous."""
        channel, receiver = self._channel(ask.first, party.core), (party, ask, ready)
        if channel.sender is None:
            channel.receiver = receiver
            return
        sender, channel.sender = channel.sender, None
        self._meet(sender, receiver)

    def _meet(self, sender: Asked, receiver: Asked) -> None:
        (party, ask, ready), (peer, want, wanted) = sender, receiver
        src, dst, tally = party.core, peer.core, self._tally
        there, back = self.distance(src, dst), self.distance(dst, src)
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

        self._inject(injected, src, (src, dst), ask.wire, arrive, granted)

    def _inject(
        self, time: int, core: int, way: tuple[int, int], wire: int, then: Callable[[int, int], None], *tag: int
    ) -> None:
        """Send a message: `then` is told when its tail arrives, and when it has left."""
        if self._network.contended and wire:
            self.shared.pass_links(time, core, way, wire, then, tag)
        else:
            then(time + self.distance(*way) + self._network.lag(*way, wire), time + wire)

    def _send(self, party: Party, ask: Ask, ready: int) -> None:
        """A send with credits."""
        channel = self._channel(party.core, ask.first)
        if channel.spare:
            channel.spare -= 1
            self._granted(channel, party, ask, ready, ready)
        elif channel.returned:
            self._granted(channel, party, ask, ready, max(ready, channel.returned.popleft()))
        else:
            channel.sender = party, ask, ready

    def _granted(self, channel: _Channel, party: Party, ask: Ask, ready: int, granted: int) -> None:
        core, tally = party.core, self._tally
        tally.peer(core, Cause.RECEIVER, ask.first, granted - ready)
        injected = party.use(granted, ask.read)

        def arrive(tail: int, left: int) -> None:
            tally.blocked[core, Cause.NETWORK] += left - injected
            self._ready.append((party, left))
            channel.mail.append((injected, tail))
            if channel.receiver is not None:
                receiver, channel.receiver = channel.receiver, None
                self._take(channel, *receiver)

        self._inject(injected, core, (core, ask.first), ask.wire, arrive)

    def _recv(self, party: Party, ask: Ask, ready: int) -> None:
        """A receive with credits."""
        channel = self._channel(ask.first, party.core)
        if channel.mail:
            self._take(channel, party, ask, ready)
        else:
            channel.receiver = party, ask, ready

    def _take(self, channel: _Channel, party: Party, ask: Ask, ready: int) -> None:
        core, tally = party.core, self._tally
        injected, tail = channel.mail.popleft()
        tally.peer(core, Cause.SENDER, ask.first, max(0, injected - ready))
        tally.blocked[core, Cause.NETWORK] += max(0, tail - max(ready, injected))
        end = party.use(max(ready, tail), ask.write)
        self._ready.append((party, end))
        channel.returned.append(end + self.distance(core, ask.first))
        if channel.sender is not None:
            (peer, send, since), channel.sender = channel.sender, None
            self._granted(channel, peer, send, since, max(since, channel.returned.popleft()))

    def _sync(self, party: Party, ask: Ask, ready: int) -> None:
        self.events.come(ask.first, ask.second, party.sample, ready + self.distance(party.core, ask.first))
        self._ready.append((party, ready))

    def _wait(self, party: Party, ask: Ask, ready: int) -> None:
        tally = self._tally

        def go_on(time: int) -> None:
            tally.blocked[party.core, Cause.EVENT] += time - ready
            self._ready.append((party, time))

        self.events.wait(party.core, ask.second, party.sample, ask.first, ready, go_on)

    def _load(self, party: Party, ask: Ask, ready: int) -> None:
        core, tally = party.core, self._tally
        asked = ready + self.distance(core, MEMORY)

        def answer(served: int) -> None:
            def arrive(tail: int, _: int) -> None:
                tally.blocked[core, Cause.MEMORY] += served - asked
                tally.blocked[core, Cause.NETWORK] += (tail - ready) - (served - asked)
                self._ready.append((party, party.use(tail, ask.write)))

            self._inject(served, core, (MEMORY, core), ask.wire, arrive)

        self.shared.serve(asked, core, ask.service, answer)

    def _store(self, party: Party, ask: Ask, ready: int) -> None:
        core, tally = party.core, self._tally
        injected = party.use(ready, ask.read)

        def arrive(tail: int, _: int) -> None:
            def finish(served: int) -> None:
                end = served + self.distance(MEMORY, core)
                tally.blocked[core, Cause.MEMORY] += served - tail
                tally.blocked[core, Cause.NETWORK] += (end - injected) - (served - tail)
                self._ready.append((party, end))

            self.shared.serve(tail, core, ask.service, finish, (injected,))

        self._inject(injected, core, (core, MEMORY), ask.wire, arrive)
