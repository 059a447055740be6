"""What decided the end of each request: its own start, or a request of another core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from emu.isa.instruction import RequestKind as Kind
from emu.timing.fast.body import RequestCosts, make_body
from emu.timing.path.requests import Requests, TimedRequest
from emu.timing.setup import SECTIONS, Setup

MAIN = "main"


class At(NamedTuple):
    """The start of a request, or its end: request `number` of a core in a section."""

    section: str
    core: int
    number: int
    end: bool


@dataclass(frozen=True, slots=True)
class Event:
    """A sync that comes: when (ps), and which one it is."""

    time: int
    sync: At


class Decided:
    """All requests of `init` and of the first sample, with those that they meet."""

    def __init__(self, setup: Setup, kept: Mapping[tuple[str, int], Requests]) -> None:
        self._setup, self._kept = setup, kept
        self._asks = {key: make_body(setup.cores[key[1]].sections[key[0]]).asks for key in kept}

    def asked(self, at: At) -> TimedRequest:
        """The request."""
        return self._kept[at.section, at.core].requests[at.number]

    def ask(self, at: At) -> RequestCosts:
        """What it asks for."""
        return self._asks[at.section, at.core][self.asked(at).index]

    def time(self, at: At) -> int:
        """When it starts or ends."""
        asked = self.asked(at)
        return asked.end if at.end else asked.start

    def ready(self, at: At) -> int:
        """When the request is set up."""
        return self.asked(at).start + self.ask(at).setup

    def cause(self, at: At) -> At:
        """What decided the end of request `at`: a start, or an earlier end."""
        own, kind = at._replace(end=False), self.ask(at).kind
        if kind in (Kind.SEND, Kind.RECV):
            return self._of_message(own, Kind(kind))
        if kind == Kind.WAIT:
            event = self.event(own)
            return event.sync if event is not None and event.time > self.ready(own) else own
        return own

    def _of_message(self, own: At, kind: Kind) -> At:
        send, recv = self.pair(own)
        if not self._setup.credits:
            return recv if self.ready(recv) > self.asked_at(send) else send
        if kind == Kind.RECV and self.asked(own).end - self.ask(own).write <= self.ready(own):
            return own
        freed = self.freed_by(send)
        return freed if freed is not None and self.credit_at(freed, send) > self.ready(send) else send

    def asked_at(self, send: At) -> int:
        """Rendezvous: when the question of a send is at its receiver."""
        return self.ready(send) + self._setup.network.distance(send.core, self.ask(send).first)

    def freed_by(self, send: At) -> At | None:
        """The end of the receive whose credit a send takes; None for the first ones."""
        messages = self._messages[send.core, self.ask(send).first]
        number = self._setup.flow.freed_by(self._numbers[send])
        return None if number is None else messages[1][number]._replace(end=True)

    def credit_at(self, freed: At, send: At) -> int:
        """When a credit is back at the sender."""
        return self.time(freed) + self._setup.network.distance(freed.core, send.core)

    def pair(self, at: At) -> tuple[At, At]:
        """The send and the receive of a message of which `at` is one."""
        kind, peer = self.ask(at).kind, self.ask(at).first
        pair = (at.core, peer) if kind == Kind.SEND else (peer, at.core)
        sends, receives = self._messages[pair]
        number = self._numbers[at]
        return sends[number], receives[number]

    def event(self, wait: At) -> Event | None:
        """The sync that a wait needs last; None if it needs none."""
        return self._events.get(wait)

    def all(self, section: str) -> Iterator[At]:
        """The starts of all requests of a section."""
        for (name, core), kept in self._kept.items():
            if name == section:
                yield from (At(name, core, number, False) for number in range(len(kept.requests)))

    @cached_property
    def _messages(self) -> dict[tuple[int, int], tuple[list[At], list[At]]]:
        """Sends and receives of each ordered pair, in order since power-on."""
        found: dict[tuple[int, int], tuple[list[At], list[At]]] = {}
        for section in SECTIONS:
            for at in self.all(section):
                ask = self.ask(at)
                if ask.kind == Kind.SEND:
                    found.setdefault((at.core, ask.first), ([], []))[0].append(at)
                elif ask.kind == Kind.RECV:
                    found.setdefault((ask.first, at.core), ([], []))[1].append(at)
        return found

    @cached_property
    def _numbers(self) -> dict[At, int]:
        return {at: number for pair in self._messages.values() for side in pair for number, at in enumerate(side)}

    @cached_property
    def _events(self) -> dict[At, Event]:
        """The last sync that each wait needs: of those of its section and, in `main`, what `init` left."""
        found: dict[At, Event] = {}
        left: dict[tuple[int, int], list[Event]] = {}
        for section in SECTIONS:
            come = {register: list(events) for register, events in left.items()}
            waits: dict[tuple[int, int], list[At]] = {}
            for at in self.all(section):
                ask = self.ask(at)
                if ask.kind == Kind.SYNC:
                    time = self.ready(at) + self._setup.network.distance(at.core, ask.first)
                    come.setdefault((ask.first, ask.second), []).append(Event(time, at))
                elif ask.kind == Kind.WAIT:
                    waits.setdefault((at.core, ask.second), []).append(at)
            for register, events in come.items():
                events.sort(key=lambda event: event.time)
                taken = 0
                for wait in waits.get(register, ()):
                    taken += self.ask(wait).first
                    if taken:
                        found[wait] = events[taken - 1]
                left[register] = events[taken:]
        return found
