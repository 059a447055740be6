"""One core's end of the network over ZeroMQ: eager data, acknowledged when taken."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import zmq

from emu.core.request import Capture, Load, Recv, Request, Send, Store, Sync, Wait
from emu.noc.board import Activity, BoardRow
from emu.noc.frames import Header, Kind, decode_control, decode_header, encode_control, encode_header
from emu.noc.inbox import Inbox
from emu.noc.memory_link import MemoryLink
from emu.noc.port import FAULTS, Flow, Port, PortFault
from emu.noc.queues import check_message, take_event

Socket = zmq.Socket[bytes]


@dataclass(slots=True)
class Outgoing:
    """The connection to a peer: counts of messages sent and taken there."""

    socket: Socket
    sent: int = 0
    taken: int = 0
    fault: PortFault | None = None


class ZmqPort(Port):
    """Answers the requests of one core; each blocks on one socket only.

    Under rendezvous a message is sent at once and the request ends when it was taken; under credits it is copied
    (as always: ZeroMQ holds its own copy) and the request ends unless K messages are untaken.
    """

    def __init__(
        self, core: int, flow: Flow, inbox: Inbox, peers: dict[int, Socket], memory: MemoryLink, row: BoardRow
    ) -> None:
        self.core, self.memory, self.row = core, memory, row
        self._flow, self._inbox = flow, inbox
        self._out = {peer: Outgoing(socket) for peer, socket in peers.items()}
        self._stash: dict[int, deque[tuple[Header, zmq.Frame]]] = {}
        self._taken: dict[int, int] = {}  # messages taken, per sender
        self._wanted: Recv | None = None  # the receive that an arriving message may fill directly
        self._events: list[int] = []
        self._synced = 0  # syncs that arrived
        self._sample = 0
        # The pending request: complete? / block for a message / of this socket.
        self._done: Callable[[], bool] = lambda: True
        self._pump: Callable[[], None] = self._receive
        self._socket = inbox.socket
        self._starts: dict[type, Callable[..., bool]] = {
            Send: self._send,
            Recv: self._recv,
            Load: self._load,
            Store: self._store,
            Sync: self._sync,
            Wait: self._wait,
            Capture: self._capture,
        }

    def attach(self, events: list[int]) -> None:
        """Use `events` as the core's event registers."""
        self._events = events

    def start(self, request: Request, sample: int) -> bool:
        """Begin the request; True if it is complete at once; raises PortFault."""
        self._sample = sample
        return self._starts[type(request)](request)

    def poll(self) -> bool:
        """Whether the request begun last is complete now; raises PortFault."""
        while not self._complete():
            if not self._socket.poll(0, zmq.POLLIN):
                return False
            self._pump()
        return True

    def wait(self) -> None:
        """Block until the request begun last is complete; raises PortFault."""
        while not self._complete():
            self._pump()

    def _complete(self) -> bool:
        if self._done():
            return True
        self.row.events(self._synced)  # only now: all of these were looked at and did not suffice
        return False

    def _pend(self, socket: Socket, pump: Callable[[], None], done: Callable[[], bool]) -> bool:
        self._socket, self._pump, self._done = socket, pump, done
        return done()

    def _send(self, request: Send) -> bool:
        out = self._out[request.peer]
        index, credits = out.sent, self._flow.credits
        pump = partial(self._acknowledged, out)
        if credits:
            self.row.does(Activity.SEND, request.peer, index, index + 1 - credits)
            return self._pend(out.socket, pump, lambda: self._credit(out, request, credits))
        # Counted before the row says SEND: whoever reads the board must not take us for blocked with nothing sent.
        self.row.sent(request.peer, index + 1)
        self.row.does(Activity.SEND, request.peer, index, index + 1)
        self._put(out, request)
        return self._pend(out.socket, pump, lambda: out.taken > index)

    def _credit(self, out: Outgoing, request: Send, credits: int) -> bool:
        if out.fault:
            raise out.fault
        if out.sent - out.taken >= credits:
            return False
        self.row.sent(request.peer, out.sent + 1)
        self._put(out, request)
        return True

    def _put(self, out: Outgoing, request: Send) -> None:
        header = encode_header(Kind.DATA, self.core, out.sent, self._sample, len(request.data))
        out.sent += 1
        out.socket.send(header, zmq.SNDMORE)
        out.socket.send(request.data)

    def _acknowledged(self, out: Outgoing) -> None:
        """Block for one acknowledgement; raises PortFault if the receiver refused the message."""
        header = decode_header(out.socket.recv())
        if header.kind is Kind.NACK:
            name, sent, expected = decode_control(out.socket.recv())
            out.fault = FAULTS[name](sent, expected)
            raise out.fault
        out.taken = header.seq + 1

    def _recv(self, request: Recv) -> bool:
        index = self._taken.setdefault(request.peer, 0)
        self.row.does(Activity.RECV, request.peer, index, index + 1)
        self._wanted = request
        return self._pend(self._inbox.socket, self._receive, lambda: self._take(request))

    def _take(self, request: Recv) -> bool:
        """Whether `request` is filled: directly on arrival, or now from the stash."""
        if self._wanted is None:
            return True
        waiting = self._stash.get(request.peer)
        if not waiting:
            return False
        header, frame = waiting.popleft()
        self._check(header, request)
        request.into[:] = frame.buffer
        self._took(header)
        return True

    def _check(self, header: Header, request: Recv) -> None:
        try:
            check_message(header.sample, header.size, self._sample, len(request.into))
        except PortFault as fault:
            reason = encode_control([type(fault).__name__, fault.value, fault.limit])
            self._inbox.answer(header.src, encode_header(Kind.NACK, self.core, header.seq, self._sample), reason)
            raise

    def _took(self, header: Header) -> None:
        self._wanted = None
        count = self._taken[header.src] = header.seq + 1
        self.row.took(header.src, count)
        self._inbox.answer(header.src, encode_header(Kind.ACK, self.core, header.seq, self._sample))

    def _receive(self) -> None:
        """Block for one message of a peer: fill the receive that waits for it, count the event, or put it aside."""
        header = self._inbox.receive()
        if header is None:
            return
        if header.kind is Kind.SYNC and 0 <= header.arg < len(self._events):
            self._events[header.arg] += 1
            self._synced += 1
        elif header.kind is Kind.DATA:
            self._data(header)

    def _data(self, header: Header) -> None:
        wanted, waiting = self._wanted, self._stash.setdefault(header.src, deque())
        if header.seq != self._taken.get(header.src, 0) + len(waiting):
            raise RuntimeError(f"core {self.core} got message {header.seq} of core {header.src} out of order")
        if wanted is None or wanted.peer != header.src or waiting or header.size != len(wanted.into):
            waiting.append((header, self._inbox.socket.recv(copy=False)))
            return
        self._check(header, wanted)
        if self._inbox.socket.recv_into(wanted.into) != header.size:
            raise RuntimeError(f"core {self.core} got a message of core {header.src} that denies its header")
        self._took(header)

    def _sync(self, request: Sync) -> bool:
        self.row.synced(request.peer)
        header = encode_header(Kind.SYNC, self.core, 0, self._sample, 0, request.event)
        self._out[request.peer].socket.send(header)
        return True

    def _wait(self, request: Wait) -> bool:
        if take_event(self._events, request):  # first: the row must not say WAIT while the event is there
            return True
        self.row.does(Activity.WAIT, -1, request.event)
        return self._pend(self._inbox.socket, self._receive, lambda: take_event(self._events, request))

    def _load(self, request: Load) -> bool:
        self.row.does(Activity.LOAD)
        self.memory.load(request, self._sample)
        return self._pend(self.memory.socket, self.memory.pump, self.memory.settled)

    def _store(self, request: Store) -> bool:
        self.row.does(Activity.STORE)
        self.memory.store(request, self._sample)
        return self._pend(self.memory.socket, self.memory.pump, self.memory.settled)

    def _capture(self, request: Capture) -> bool:
        self.memory.capture(request, self._sample)
        return True
