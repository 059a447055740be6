"""The network: one outgoing queue per core, one message at a time, and the protocol of sends, receives and events.

A send puts three messages on the way: the sender is ready, the receiver is ready, the data; it ends when its data are
queued.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from emu.interop.pim_isa.format.network import NetworkTable
from emu.interop.pim_isa.isa import EVENTS
from emu.interop.pim_isa.timing.kernel import ClockedQueue, Process
from emu.interop.pim_isa.timing.memory import MemoryPort

READY_GAP = 1000  # ps that a queue stays busy behind "sender ready", whatever the clock


class TransferKind(IntEnum):
    """Of messages, and what a transfer unit sleeps for: the one that wakes it."""

    SENDER_READY = 0
    RECEIVER_READY = 1
    DATA = 2
    SYNC = 3
    GLOBAL = 4


@dataclass(slots=True)
class TransferMessage:
    """`ps` on the way; `detail`: the event register of a sync, the picoseconds of an access to global memory."""

    kind: TransferKind
    source: int
    target: int
    ps: int
    detail: int = 0


@dataclass(slots=True)
class Mailbox:
    """What a transfer unit knows of others: whom it receives from, who is ready to send, its event registers."""

    receives_from: int = -1
    ready: set[int] = field(default_factory=set)
    events: list[int] = field(default_factory=lambda: [0] * EVENTS)
    event: int = -1  # that a wait waits for, until it is `value`
    value: int = -1
    process: Process | None = None
    sleeps_for: TransferKind | None = None


class MessageQueues:
    """The queues of all cores, and the global memory behind one node of the network."""

    def __init__(self, kernel: ClockedQueue, cores: Iterable[int], table: NetworkTable, at_least: bool) -> None:
        self.kernel, self.global_memory = kernel, MemoryPort()
        self.flits: Counter[tuple[int, int]] = Counter()  # from node to node
        self.at_least = at_least  # a wait ends from its value on; else only at exactly its value
        self.boxes = {core: Mailbox() for core in cores}
        self._latency = table.latency
        self._queues: dict[int, deque[TransferMessage]] = {core: deque() for core in self.boxes}
        self._idle = dict.fromkeys(self.boxes, True)
        self._switches = {core: self._switch(core) for core in self.boxes}
        for switch in self._switches.values():
            next(switch)

    def post(self, kind: TransferKind, source: int, target: int, flits: int = 1, detail: int = 0) -> None:
        """Queue a message at its source. Its time is cut to whole ns."""
        self.flits[source, target] += flits
        ps = int(flits * self._latency.get((source, target), 0.0)) * 1000
        self._queues[source].append(TransferMessage(kind, source, target, ps, detail))
        if self._idle[source]:
            self._idle[source] = False
            self.kernel.wake(self._switches[source])

    def wake(self, core: int, kind: TransferKind) -> None:
        """Let the transfer unit of a core go on if it sleeps for this."""
        box = self.boxes[core]
        if box.sleeps_for is kind and box.process is not None:
            box.sleeps_for = None
            self.kernel.wake(box.process)

    def satisfied(self, box: Mailbox) -> bool:
        """Whether the wait of this unit may end."""
        count = box.events[box.event]
        return count >= box.value if self.at_least else count == box.value

    def _switch(self, core: int) -> Process:
        queue = self._queues[core]
        while True:
            if not queue:
                self._idle[core] = True
                yield None
            message = queue.popleft()
            yield message.ps
            yield self._deliver(message)
            if message.kind is TransferKind.GLOBAL:
                self.wake(core, TransferKind.GLOBAL)

    def _deliver(self, message: TransferMessage) -> int:
        """A message arrives; for how many ps the queue stays busy."""
        kind = message.kind
        if kind is TransferKind.GLOBAL:
            return self.global_memory.request(self.kernel.now, message.detail)
        box = self.boxes[message.target]
        if kind is TransferKind.SENDER_READY:
            if box.receives_from == message.source:
                self.post(TransferKind.RECEIVER_READY, message.target, message.source)
            else:
                box.ready.add(message.source)
            return READY_GAP
        if kind is TransferKind.SYNC:
            box.events[message.detail] += 1
            if box.event == message.detail and self.satisfied(box):
                self.wake(message.target, TransferKind.SYNC)
        else:
            self.wake(message.target, kind)
        return 0
