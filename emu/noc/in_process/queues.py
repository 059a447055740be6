"""The network inside one process: a queue per ordered pair of cores, with rendezvous or credits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from emu.core.request import Capture, Load, Recv, Request, Send, Store, Sync, Wait
from emu.noc.deadlock.waitfor import Direction
from emu.noc.memory.global_memory import GlobalMemory
from emu.noc.ports.events import EventRegisters, EventState
from emu.noc.ports.port import FlowControl, Port, PortFault


@dataclass(slots=True)
class Channel:
    """An ordered pair: messages sent and not yet taken as (sample, data), and counts of both ends."""

    waiting: deque[tuple[int, memoryview | bytes]] = field(default_factory=deque)
    sent: int = 0
    taken: int = 0
    fault: PortFault | None = None  # what the receiver met under rendezvous; the sender traps with it too

    def copy(self) -> Channel:
        """The same counts and messages."""
        return Channel(self.waiting.copy(), self.sent, self.taken, self.fault)

    def become(self, other: Channel) -> None:
        """Take over the counts and messages of `other`."""
        self.waiting, self.sent, self.taken, self.fault = other.waiting.copy(), other.sent, other.taken, other.fault


@dataclass(frozen=True, slots=True)
class FabricState:
    """What `Fabric.save` gives: a copy of each channel, and of each core's event registers."""

    channels: dict[tuple[int, int], Channel]
    events: dict[int, EventState]
    used_events: bool


@dataclass(frozen=True, slots=True)
class PortState:
    """What `QueuePort.save` gives; of the request begun last."""

    sample: int
    pending: Callable[[], bool]
    blocked: tuple[Direction, int, int] | None


@dataclass(slots=True)
class Fabric:
    """All channels of a chip, global memory per sample, event registers and captured buffers.

    `wake(core)` is called whenever something happens that `core` may wait for.
    """

    flow: FlowControl
    memory: Callable[[int], GlobalMemory]
    wake: Callable[[int], None] = lambda core: None
    events: dict[int, EventRegisters] = field(default_factory=dict)
    captures: dict[tuple[int, int], bytes] = field(default_factory=dict)
    used_events: bool = False
    _channels: dict[tuple[int, int], Channel] = field(default_factory=dict)

    def channel(self, src: int, dst: int) -> Channel:
        """The channel of an ordered pair."""
        return self._channels.setdefault((src, dst), Channel())

    def port(self, core: int, events: int) -> QueuePort:
        """Attach `core`, which has so many event registers."""
        port = QueuePort(self, core)
        port.attach(events)
        return port

    @property
    def unsettled(self) -> bool:
        """Whether messages are left over, or events were used, so that syncs may be."""
        return self.used_events or any(channel.waiting for channel in self._channels.values())

    def save(self) -> FabricState:
        """A copy of all channels and event registers; data that is lent stays a view of its sender's memory."""
        channels = {pair: channel.copy() for pair, channel in self._channels.items()}
        return FabricState(channels, {core: kept.save() for core, kept in self.events.items()}, self.used_events)

    def restore(self, state: FabricState) -> None:
        """Become what was saved. The channels stay the same objects: open requests know them."""
        for pair, channel in self._channels.items():
            channel.become(state.channels.get(pair, Channel()))
        for core, kept in self.events.items():
            kept.restore(state.events[core])
        self.used_events = state.used_events


class QueuePort(Port):
    """One core's end of a fabric; nothing else runs while it is asked, so it is polled, never waited for."""

    def __init__(self, fabric: Fabric, core: int) -> None:
        self._fabric, self._core = fabric, core
        self.attach(0)
        self._sample = 0
        self._pending: Callable[[], bool] = lambda: True
        self._blocked: tuple[Direction, int, int] | None = None
        self._starts: dict[type, Callable[..., bool]] = {
            Send: self._send,
            Recv: self._recv,
            Load: self._load,
            Store: self._store,
            Sync: self._sync,
            Wait: self._wait,
            Capture: self._capture,
        }

    def attach(self, events: int) -> None:
        """The core has so many event registers."""
        self._events = self._fabric.events[self._core] = EventRegisters(events)

    def begin(self, sample: int) -> None:
        """Nothing to wait for: the scheduler begins a sample when its inputs are there."""

    def end(self, sample: int) -> None:
        """The core has finished `sample`."""
        self._events.end(sample)

    def start(self, request: Request, sample: int) -> bool:
        """Begin the request; True if it is complete at once; raises PortFault."""
        self._sample, self._blocked = sample, None
        return self._starts[type(request)](request)

    def poll(self) -> bool:
        """Whether the request begun last is complete now; raises PortFault."""
        return self._pending()

    def wait(self) -> None:
        """Refuse to block: whoever could complete the request runs in this same thread."""
        if not self._pending():
            raise RuntimeError(f"core {self._core} would block for ever: a queue port is polled by its scheduler")

    @property
    def blocked(self) -> tuple[Direction, int, int]:
        """(direction, peer, index) of the request begun last, which is not complete."""
        if self._blocked is None:
            raise RuntimeError(f"core {self._core} is not blocked")
        return self._blocked

    def save(self) -> PortState:
        """All that `poll` and `blocked` depend on, but for the fabric."""
        return PortState(self._sample, self._pending, self._blocked)

    def restore(self, state: PortState) -> None:
        """The request that was begun last when `state` was saved is the one begun last."""
        self._sample, self._pending, self._blocked = state.sample, state.pending, state.blocked

    def _block(self, direction: Direction, peer: int, index: int, pending: Callable[[], bool]) -> bool:
        self._blocked, self._pending = (direction, peer, index), pending
        return pending()

    def _send(self, request: Send) -> bool:
        channel = self._fabric.channel(self._core, request.peer)
        index, flow = channel.sent, self._fabric.flow
        need = flow.need(index)
        if flow.lends:
            self._put(channel, request, request.data)
            return self._block(Direction.SEND, request.peer, index, lambda: self._taken(channel, need))
        return self._block(Direction.SEND, request.peer, index, lambda: self._credit(channel, request, need))

    def _put(self, channel: Channel, request: Send, data: memoryview | bytes) -> None:
        channel.waiting.append((self._sample, data))
        channel.sent += 1
        self._fabric.wake(request.peer)

    def _taken(self, channel: Channel, need: int) -> bool:
        if channel.fault:
            raise channel.fault
        return channel.taken >= need

    def _credit(self, channel: Channel, request: Send, need: int) -> bool:
        if channel.taken < need:
            return False
        self._put(channel, request, bytes(request.data))
        return True

    def _recv(self, request: Recv) -> bool:
        channel = self._fabric.channel(request.peer, self._core)
        return self._block(Direction.RECV, request.peer, channel.taken, lambda: self._take(channel, request))

    def _take(self, channel: Channel, request: Recv) -> bool:
        if not channel.waiting:
            return False
        sample, data = channel.waiting[0]
        flow = self._fabric.flow
        try:
            if not flow.fits(sample, len(data), self._sample, len(request.into)):
                return False
        except PortFault as fault:
            channel.fault = fault if flow.lends else None
            raise
        finally:
            self._fabric.wake(request.peer)
        request.into[:] = data
        channel.waiting.popleft()
        channel.taken += 1
        return True

    def _load(self, request: Load) -> bool:
        self._fabric.memory(self._sample).read_into(request.address, request.into)
        return True

    def _store(self, request: Store) -> bool:
        self._fabric.memory(self._sample).write(request.address, request.data)
        return True

    def _sync(self, request: Sync) -> bool:
        self._fabric.used_events = True
        self._fabric.events[request.peer].sync(request.event, self._sample)
        self._fabric.wake(request.peer)
        return True

    def _wait(self, request: Wait) -> bool:
        event, value, equal, sample = request.event, request.value, request.equal, self._sample
        return self._block(Direction.WAIT, -1, event, lambda: self._events.wait(event, value, sample, equal))

    def _capture(self, request: Capture) -> bool:
        self._fabric.captures[self._core, request.buffer] = bytes(request.data)
        return True
