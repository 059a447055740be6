"""What the cores share: channels, event registers, the global memory and the links."""

from __future__ import annotations

from dataclasses import dataclass, field

from emu.core.trap import INIT_SAMPLE
from emu.noc.traffic.topology import Link
from emu.timing.basis.log import LogBuilder, OperationPhase, Reason
from emu.timing.executor.flight import Flight, Records
from emu.timing.executor.kernel import Process, ProcessLoop, Service, Signal
from emu.timing.executor.ports import Ports
from emu.timing.setup import SECTIONS, Setup


@dataclass(slots=True)
class PairMessage:
    """A message of a pair of cores: what sender and receiver tell each other."""

    asked: Signal = field(default_factory=Signal)  # rendezvous: the sender's question has come to the receiver
    wanted: Signal = field(default_factory=Signal)  # rendezvous: the receive is set up
    arrived: Signal = field(default_factory=Signal)  # the tail is at the receiver
    taken: Signal = field(default_factory=Signal)  # the receive is finished
    returned: Signal = field(default_factory=Signal)  # credits: the sender knows that it is taken
    injected: int = 0


@dataclass(slots=True)
class TimedChannel:
    """An ordered pair of cores: its messages since power-on, and how many each side has come to."""

    messages: list[PairMessage] = field(default_factory=list)
    sent: int = 0
    taken: int = 0

    def message(self, number: int) -> PairMessage:
        """Message `number` of the pair."""
        while len(self.messages) <= number:
            self.messages.append(PairMessage())
        return self.messages[number]


@dataclass(slots=True)
class EventRegister:
    """One event register: what syncs and waits of `init` leave, and on top of that those of each sample."""

    left: int = 0
    samples: dict[int, int] = field(default_factory=dict)
    changed: Signal = field(default_factory=Signal)
    moment: int = -1  # of the last sync that came

    def come(self, sample: int, kernel: ProcessLoop, moment: int) -> None:
        """A sync of a sample (INIT_SAMPLE: `init`) comes now; `moment` is what decided that."""
        if sample == INIT_SAMPLE:
            self.left += 1
        else:
            self.samples[sample] = self.samples.get(sample, 0) + 1
        changed, self.changed, self.moment = self.changed, Signal(), moment
        kernel.fire(changed)

    def take(self, value: int, sample: int) -> bool:
        """Take `value` events from those of a sample and those that `init` left, if there are as many."""
        if self.left + self.samples.get(sample, 0) < value:
            return False
        if sample == INIT_SAMPLE:
            self.left -= value
        else:
            self.samples[sample] = self.samples.get(sample, 0) - value
        return True


@dataclass(slots=True)
class ChipState:
    """The state of all that is not one core's own."""

    setup: Setup
    kernel: ProcessLoop
    log: LogBuilder
    records: dict[str, Records]
    memory: Ports
    channels: dict[tuple[int, int], TimedChannel] = field(default_factory=dict)
    events: dict[tuple[int, int], EventRegister] = field(default_factory=dict)
    _links: dict[Link, tuple[int, int]] = field(default_factory=dict)  # when free, and the moment of the last message

    @classmethod
    def of(cls, setup: Setup, log: bool) -> ChipState:
        """A chip at power-on."""
        records = {section: Records.of(setup, section) for section in SECTIONS}
        return cls(setup, ProcessLoop(), LogBuilder(log), records, Ports(setup.memory_ports))

    def channel(self, src: int, dst: int) -> TimedChannel:
        """The channel of an ordered pair."""
        return self.channels.setdefault((src, dst), TimedChannel())

    def register(self, core: int, event: int) -> EventRegister:
        """An event register."""
        return self.events.setdefault((core, event), EventRegister())

    def distance(self, src: int, dst: int) -> int:
        """What a control message, or the head of another one, takes from node to node."""
        return self.setup.network.distance(src, dst)

    def inject(self, flight: Flight, src: int, dst: int, arrived: Signal) -> Process:
        """Send the message of `flight` now: over when its tail has left; `arrived` is fired when it is there."""
        wire, network = flight.cost("wire"), self.setup.network
        if wire and network.passes_links(src, dst):
            yield Service(flight.turn, lambda now: self._pass_links(flight, now, (src, dst), wire, arrived))
        else:
            self._deliver(flight, network.distance(src, dst) + network.lag(src, dst, wire), -1, arrived)
            yield wire

    def _pass_links(self, flight: Flight, now: int, way: tuple[int, int], wire: int, arrived: Signal) -> int:
        """Occupy the links from node to node from now on or later; when the tail has left the first one."""
        network, used = self.setup.network, flight.records.links
        head, before, entered = now + network.base, -1, list[tuple[Link | None, int]]()
        for link, leap in network.steps(*way):
            free, last = self._links.get(link, (0, -1)) if link is not None else (0, -1)
            if free > head:
                head, before = free, last
            entered.append((link, head))
            head += leap
        moment = self._deliver(flight, head + wire - network.spacing(*way) - now, before, arrived)
        for link, start in entered:
            if link is not None:
                used[link] = used.get(link, 0) + wire
                self._links[link] = start + wire, moment
        return entered[0][1] + wire

    def _deliver(self, flight: Flight, delay: int, before: int, arrived: Signal) -> int:
        """Fire `arrived` so many ps from now; the moment is logged, with that of who was in its way (-1: nobody)."""
        kernel, reason = self.kernel, Reason.NETWORK if before < 0 else Reason.LINK
        moment = flight.note(OperationPhase.ARRIVED, reason, None if before < 0 else before, kernel.now + delay)
        kernel.after(delay, lambda: kernel.fire(arrived, moment))
        return moment
