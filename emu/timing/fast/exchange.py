"""What passes between cores: each request goes on as soon as all is known that decides its times.

Only what is served in order of time (links, ports of the global memory), or must know all that comes before it (waits
for events), takes its turn in a queue. What follows from a service is later than it, so nothing comes too late.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

from emu.isa.instruction import RequestKind as Kind
from emu.timing.basis.result import Cause
from emu.timing.basis.units import MEMORY
from emu.timing.fast.body import RequestCosts
from emu.timing.fast.events import CoreEvents
from emu.timing.fast.messages import Credits, Ready, Rendezvous
from emu.timing.fast.party import Party
from emu.timing.fast.samples import Samples
from emu.timing.fast.shared import SharedResources
from emu.timing.fast.tally import WaitTally
from emu.timing.fast.ways import Ways
from emu.timing.setup import Setup


class Exchange:
    """All that cores share, since power-on."""

    def __init__(self, setup: Setup, skips: bool = True) -> None:
        """Without `skips` every sample is walked, also those that repeat others."""
        self.shared, self._skips = SharedResources(setup), skips
        self.events = CoreEvents(self.shared)
        self._ways, self._ready = Ways(setup, self.shared), Ready()
        parts = self.shared, self._ways, self._ready
        self._messages = Credits(*parts, setup.credits) if setup.credits else Rendezvous(*parts)
        self._kinds: dict[int, Callable[[Party, RequestCosts, int], None]] = {
            Kind.SEND: self._messages.request,
            Kind.RECV: self._messages.request,
            Kind.SYNC: self._sync,
            Kind.WAIT: self._wait,
            Kind.LOAD: self._load,
            Kind.STORE: self._store,
        }

    def run(self, parties: Sequence[Party], begin: int, samples: range, tally: WaitTally) -> None:
        """Let cores that depend on no others run `samples` from `begin` on."""
        self.shared.tally = tally
        self._samples = Samples(self._state, parties, tally, self._skips)
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

    def _state(self, now: int, present: Mapping[int, int], starts: Mapping[int, int], sample: int) -> Hashable:
        """What is shared, events and messages, as in `State`."""
        return (
            self.shared.snapshot(now),
            self.events.snapshot(now, present, starts, sample),
            self._messages.snapshot(now, starts),
        )

    def _sync(self, party: Party, ask: RequestCosts, ready: int) -> None:
        self.events.come(ask.first, ask.second, party.sample, ready + self._ways.way(party.core, ask.first).there)
        self._ready.append((party, ready))

    def _wait(self, party: Party, ask: RequestCosts, ready: int) -> None:
        tally = self.shared.tally

        def go_on(time: int) -> None:
            tally.blocked[party.core, Cause.EVENT] += time - ready
            self._ready.append((party, time))

        self.events.wait(party.core, ask.second, party.sample, ask.first, ready, go_on)

    def _load(self, party: Party, ask: RequestCosts, ready: int) -> None:
        core, tally, way = party.core, self.shared.tally, self._ways.way(MEMORY, party.core)
        asked = ready + way.back

        def answer(served: int) -> None:
            def arrive(tail: int, _: int) -> None:
                tally.blocked[core, Cause.MEMORY] += served - asked
                tally.blocked[core, Cause.NETWORK] += (tail - ready) - (served - asked)
                self._ready.append((party, party.use(tail, ask.write)))

            self._ways.inject(served, core, way, ask.wire, arrive)

        self.shared.serve(asked, core, ask.service, answer)

    def _store(self, party: Party, ask: RequestCosts, ready: int) -> None:
        core, tally, way = party.core, self.shared.tally, self._ways.way(party.core, MEMORY)
        injected = party.use(ready, ask.read)

        def arrive(tail: int, _: int) -> None:
            def finish(served: int) -> None:
                end = served + way.back
                tally.blocked[core, Cause.MEMORY] += served - tail
                tally.blocked[core, Cause.NETWORK] += (end - injected) - (served - tail)
                self._ready.append((party, end))

            self.shared.serve(tail, core, ask.service, finish, (injected,))

        self._ways.inject(injected, core, way, ask.wire, arrive)
