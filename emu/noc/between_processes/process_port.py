"""One core's end of the network between processes: eager data, acknowledged when taken."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from emu.core.request import Capture, Load, Recv, Request, Send, Store, Sync, Wait
from emu.core.trap import INIT_SAMPLE
from emu.noc.between_processes.inbox import Inbox
from emu.noc.between_processes.outgoing import NearOutgoing, Outgoing
from emu.noc.memory.memory_link import MemoryLink
from emu.noc.memory.sample_clock import USED_EVENTS
from emu.noc.ports.events import EventRegisters
from emu.noc.ports.port import DamagedMessage, FlowControl, Port, PortFault
from emu.noc.watch.board import Activity, BoardRow
from emu.noc.wire.frames import FrameHeader, FrameKind, decode_header, encode_control, encode_header
from emu.noc.wire.library import LARGE, MORE, Payload, ReceivedFrame, Socket

DATA, ACK = int(FrameKind.DATA), int(FrameKind.ACK)
SEND, RECV = int(Activity.SEND), int(Activity.RECV)
NEVER = 1 << 62  # a count that no peer reaches


class ProcessPort(Port):
    """Answers the requests of one core; each blocks on one socket only.

    Under rendezvous a message is sent at once, a large one as the local memory that it is, and the request ends when it
    was taken. Under credits it is copied, a large one while the request waits, which it does if K messages are untaken.
    Raises DamagedMessage or MalformedFrame for what no core of a run sends.
    Each end knows the header that comes next if all goes well, and compares bytes; only others are decoded.
    """

    def __init__(
        self, core: int, flow: FlowControl, inbox: Inbox, peers: dict[int, Socket], memory: MemoryLink, row: BoardRow
    ) -> None:
        self.core, self.memory, self.row = core, memory, row
        self._flow, self._inbox = flow, inbox
        self._out = {
            peer: NearOutgoing(peer, socket, row) if row.shares(peer) else Outgoing(peer, socket)
            for peer, socket in peers.items()
        }
        self._stash: dict[int, deque[tuple[FrameHeader, ReceivedFrame]]] = {}
        self._taken: dict[int, int] = {}  # messages taken, per sender
        self._balance = 0  # messages sent less those taken
        self._wanted: Recv | None = None  # the receive that an arriving message may fill directly
        self._expected = b""  # the header of that message
        self.events = EventRegisters(0)
        self._used_events = False
        self._synced = 0  # syncs that arrived
        self._sample = INIT_SAMPLE - 1
        self._opening: tuple[int, memoryview] | None = None  # the peer and place of the receive that begins each sample
        # The pending request: complete? / is there something that may complete it? / block for that.
        self._done: Callable[[], bool] = lambda: True
        self._there: Callable[[], bool] = inbox.arrived
        self._pump: Callable[[], None] = self._receive
        self._starts: dict[type, Callable[..., bool]] = {
            Send: self._send,
            Recv: self._recv,
            Load: self._ask_memory,
            Store: self._ask_memory,
            Sync: self._sync,
            Wait: self._wait,
            Capture: self._ask_memory,
        }

    def attach(self, events: int) -> None:
        """The core has so many event registers; what came before it could start is taken in."""
        self.events = EventRegisters(events)
        for header, payload in self._inbox.early:
            if payload is None:
                self._count(header)
            else:
                self._put_aside(header, payload)
        self._inbox.early.clear()

    def begin(self, sample: int) -> None:
        """Block until the memory node has the inputs of `sample`.

        A core that begins with a receive sleeps until a message comes, for it could do nothing before.
        """
        if self._opening is not None and self.memory.may_be_late(sample):
            peer, place = self._opening
            self.row.awaits(place, peer, self._taken[peer])
            self._inbox.expect()
        self.memory.begin(sample)

    def end(self, sample: int) -> None:
        """The core has finished `sample`: say so, and whether something may be left over."""
        self.events.end(sample)
        self.memory.end(sample, self._balance + (USED_EVENTS if self._used_events else 0))

    def start(self, request: Request, sample: int) -> bool:
        """Begin the request; True if it is complete at once; raises PortFault."""
        if sample != self._sample:
            self._sample = sample
            self._opening = None
            if isinstance(request, Recv) and sample != INIT_SAMPLE:
                self._opening = request.peer, self.row.place()
        return self._starts[type(request)](request)

    def poll(self) -> bool:
        """Whether the request begun last is complete now; raises PortFault."""
        while not self._done():
            if not self._there():
                return False
            self._pump()
        return True

    def wait(self) -> None:
        """Block until the request begun last is complete; raises PortFault."""
        while not self._done():
            self._pump()

    def _pend(self, there: Callable[[], bool], pump: Callable[[], None], done: Callable[[], bool]) -> bool:
        self._there, self._pump, self._done = there, pump, done
        return False

    def _send(self, request: Send) -> bool:
        out, peer = self._out[request.peer], request.peer
        index, size = out.sent, len(request.data)
        need = self._flow.need(index)
        if not self._flow.lends:
            if self._credit(out, need, request.data):
                return True
            self.row.does(SEND, peer, index, need)
            data = out.socket.copied(request.data) if size >= LARGE else request.data
            return self._pend(out.answered, out.hear, lambda: self._credit(out, need, data))
        # Counted before the row says SEND: whoever reads the board must not take us for blocked with nothing sent.
        self.row.sent(peer, index + 1)
        self.row.does(SEND, peer, index, need)
        self._put(out, request.data, out.socket.lend if size >= LARGE else out.socket.send)
        return self._pend(out.answered, out.hear, lambda: out.reached(need))

    def _credit(self, out: Outgoing, need: int, data: Payload) -> bool:
        if not out.reached(need):
            return False
        self.row.sent(out.peer, out.sent + 1)
        self._put(out, data, out.socket.send)
        return True

    def _put(self, out: Outgoing, data: Payload, give: Callable[..., object]) -> None:
        out.socket.send(encode_header(DATA, self.core, out.sent, self._sample, len(data)), MORE)
        out.sent += 1
        self._balance += 1
        out.size = len(data)
        give(data)

    def _recv(self, request: Recv) -> bool:
        peer = request.peer
        index = self._taken.setdefault(peer, 0)
        if waiting := self._stash.get(peer):
            if self._fits(request, waiting[0][0]):
                self._take(request, *waiting.popleft())
                return True
            return self._hopeless(request)
        self.row.does(RECV, peer, index, index + 1)
        self._wanted = request
        self._expected = encode_header(DATA, peer, index, self._sample, len(request.into))
        return self._pend(self._inbox.arrived, self._receive, self._filled)

    def _filled(self) -> bool:
        return self._wanted is None

    def _fits(self, request: Recv, header: FrameHeader) -> bool:
        """Whether a message is for `request`; raises PortFault, under rendezvous at the sender, too."""
        try:
            return self._flow.fits(header.sample, header.size, self._sample, len(request.into))
        except PortFault as fault:
            if self._flow.lends:
                fault.peer = request.peer
                self._refuse(header, len(request.into))
            raise

    def _refuse(self, header: FrameHeader, expected: int) -> None:
        """Tell the sender of a message that it is none of `expected` bytes."""
        if self.row.shares(header.src):
            self.row.refuses(header.src, expected)
            return
        reason = encode_control([header.size, expected])
        self._inbox.answer(header.src, encode_header(FrameKind.NACK, self.core, header.seq, self._sample), reason)

    def _hopeless(self, request: Recv) -> bool:
        """Nothing will ever come for `request`: keep waiting; whoever watches the board reports the deadlock."""
        self.row.does(RECV, request.peer, self._taken[request.peer], NEVER)
        self._wanted, self._expected = request, b""
        return self._pend(self._inbox.arrived, self._receive, self._filled)

    def _take(self, request: Recv, header: FrameHeader, payload: ReceivedFrame) -> None:
        """Fill `request` from a message that fits."""
        self._wanted = None
        if len(payload.buffer) != header.size:
            raise self._denied(header.src)
        request.into[:] = payload.buffer
        self._took(header.src, header.seq)

    def _took(self, peer: int, index: int) -> None:
        self._taken[peer] = index + 1
        self._balance -= 1
        self.row.took(peer, index + 1)
        if self.row.shares(peer):
            self.row.acknowledges(peer, index + 1)
        else:
            self._inbox.answer(peer, encode_header(ACK, self.core, index, self._sample))

    def _receive(self) -> None:
        """Block for one message of a peer: fill the receive that waits for it, count the event, or put it aside."""
        received = self._inbox.receive()
        if received is None:
            return
        sender, data = received
        wanted = self._wanted
        if wanted is not None and data == self._expected:
            self._wanted = None
            if len(wanted.into) >= LARGE:
                self._fill(wanted, sender, self._inbox.socket.recv_frame())
                return
            if sender != wanted.peer or self._inbox.socket.recv_into(wanted.into) != len(wanted.into):
                raise self._denied(sender)
            self._took(sender, self._taken[sender])
            return
        header = decode_header(data)
        if header.kind is FrameKind.SYNC and not self._inbox.more:  # with a payload it was sent as DATA
            self._count(header)
        elif header.kind is FrameKind.DATA and header.src == sender:
            self._put_aside(header, self._inbox.socket.recv_frame())
        elif header.kind is not FrameKind.HELLO or self._inbox.more:  # which was said again before its answer came
            raise self._inbox.senseless(sender, header)

    def _count(self, sync: FrameHeader) -> None:
        self.events.sync(sync.arg, sync.sample)
        self._synced += 1

    def _fill(self, request: Recv, sender: int, payload: ReceivedFrame) -> None:
        """Take a large message: the sender goes on while it is copied."""
        if sender != request.peer or len(payload) != len(request.into):
            raise self._denied(sender)
        self._took(sender, self._taken[sender])
        request.into[:] = payload.buffer

    def _denied(self, sender: int) -> DamagedMessage:
        return DamagedMessage(f"core {self.core} got a message of core {sender} that denies its header")

    def _put_aside(self, header: FrameHeader, payload: ReceivedFrame) -> None:
        """Keep a message for a later receive, unless it is the one waited for."""
        waiting = self._stash.setdefault(header.src, deque())
        header = in_order(header, self._taken.get(header.src, 0) + len(waiting), self.core)
        wanted = self._wanted
        if wanted is not None and wanted.peer == header.src and not waiting:
            if self._fits(wanted, header):
                self._take(wanted, header, payload)
                return
            self._hopeless(wanted)
        waiting.append((header, payload))

    def _sync(self, request: Sync) -> bool:
        self._used_events = True
        self.row.synced(request.peer)
        header = encode_header(FrameKind.SYNC, self.core, 0, self._sample, 0, request.event)
        self._out[request.peer].socket.send(header)
        return True

    def _wait(self, request: Wait) -> bool:
        self._used_events = True
        if self._reached(request):  # first: the row must not say WAIT while the event is there
            return True
        self.row.does(Activity.WAIT, -1, request.event)
        return self._pend(self._inbox.arrived, self._receive, lambda: self._awaited(request))

    def _awaited(self, request: Wait) -> bool:
        if self._reached(request):
            return True
        self.row.events(self._synced)  # only now: all of these were looked at and did not suffice
        return False

    def _reached(self, request: Wait) -> bool:
        return self.events.wait(request.event, request.value, self._sample, request.equal)

    def _ask_memory(self, request: Load | Store | Capture) -> bool:
        self.memory.ask(request, self._sample)
        return self._pend(self.memory.answered, self.memory.pump, self.memory.settled)


def in_order(header: FrameHeader, index: int, core: int) -> FrameHeader:
    """A message that came to `core`, which must be message `index` of its sender; raises DamagedMessage."""
    if header.seq != index:
        raise DamagedMessage(f"core {core} got message {header.seq} of core {header.src} out of order")
    return header
