"""The barest exchange of given messages: processes over pyzmq that send, take, load and store, and compute nothing."""

from __future__ import annotations

import struct
import tempfile
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import zmq

from launch.bench.baselines.forked import PATIENCE, ForkedBaseline

SEND, RECV, LOAD, STORE = range(4)
Step = tuple[int, int, int]  # kind, the core at the other end (of loads and stores: any number), bytes
ASKED = struct.Struct("qq")  # of whoever keeps the memory: kind and bytes


class RawTraffic(ForkedBaseline):
    """A child for each of the cores of `steps`, which makes its own again and again; this process is the memory.

    Each message is acknowledged before its sender goes on. A sample begins when the loads of it are answered, and ends
    when its stores have come; it has some of both. Made before this process has used ZeroMQ, which must not be forked.
    """

    def __init__(self, steps: Mapping[int, Sequence[Step]]) -> None:
        super().__init__()
        folder = self.enter_context(tempfile.TemporaryDirectory())
        for core, own in steps.items():
            self.fork(partial(_member, folder, core, own))
        self._loads = {_name(core): sum(kind == LOAD for kind, _, _ in own) for core, own in steps.items()}
        self._asks = sum(kind in (LOAD, STORE) for own in steps.values() for kind, _, _ in own)
        self._content = bytes(max((size for own in steps.values() for _, _, size in own), default=0))
        self._answered: dict[bytes, int] = defaultdict(int)  # loads, of each core
        self._held: list[tuple[bytes, int]] = []  # loads of the next sample
        self._begun = 0  # samples
        context = zmq.Context()
        self.callback(context.destroy, linger=0)
        self._socket = context.socket(zmq.ROUTER)
        self._socket.rcvtimeo = PATIENCE * 1000
        self._socket.bind(_endpoint(folder, "memory"))
        self.go(2)

    def go(self, samples: int = 1) -> None:
        """Let so many samples pass, one after the other; raises zmq.Again if nothing comes any more."""
        for _ in range(samples):
            self._begun += 1
            held, self._held = self._held, []
            left = self._asks
            for name, size in held:
                left -= self._load(name, size)
            while left:
                left -= self._serve()

    def _serve(self) -> bool:
        """Take one load or store; whether it is of this sample."""
        socket = self._socket
        name = socket.recv()
        kind, size = ASKED.unpack(socket.recv())
        if kind == LOAD:
            return self._load(name, size)
        socket.recv()
        socket.send(name, zmq.SNDMORE)
        socket.send(b"")
        return True

    def _load(self, name: bytes, size: int) -> bool:
        if self._answered[name] >= self._begun * self._loads[name]:
            self._held.append((name, size))
            return False
        self._answered[name] += 1
        self._socket.send(name, zmq.SNDMORE)
        self._socket.send(memoryview(self._content)[:size])
        return True


def _name(core: int) -> bytes:
    return b"core %d" % core


def _endpoint(folder: str, name: str) -> str:
    return f"ipc://{folder}/{name}"


def _member(folder: str, core: int, steps: Sequence[Step]) -> NoReturn:
    """Make `steps` for ever, each of them a call that is ready."""
    context = zmq.Context()
    inbox = context.socket(zmq.ROUTER)
    inbox.bind(_endpoint(folder, str(core)))
    sockets = dict[str, Any]()
    content, into = bytes(max(size for _, _, size in steps)), bytearray(max(size for _, _, size in steps))
    early: dict[bytes, deque[bytes]] = defaultdict(deque)

    def to(name: str) -> Any:
        if name not in sockets:
            sockets[name] = socket = context.socket(zmq.DEALER)
            socket.set(zmq.ROUTING_ID, _name(core))
            socket.connect(_endpoint(folder, name))
        return sockets[name]

    def send(socket: Any, payload: memoryview) -> None:
        socket.send(payload)
        socket.recv()

    def take(name: bytes, place: memoryview) -> None:
        if early[name]:
            place[:] = early[name].popleft()
        else:
            while (sender := inbox.recv()) != name:
                early[sender].append(inbox.recv())
            inbox.recv_into(place)
        inbox.send(name, zmq.SNDMORE)
        inbox.send(b"")

    def load(socket: Any, head: bytes, place: memoryview) -> None:
        socket.send(head)
        socket.recv_into(place)

    def store(socket: Any, head: bytes, payload: memoryview) -> None:
        socket.send(head, zmq.SNDMORE)
        socket.send(payload)
        socket.recv()

    make: dict[int, Callable[[int, int], Callable[[], None]]] = {
        SEND: lambda peer, size: partial(send, to(str(peer)), memoryview(content)[:size]),
        RECV: lambda peer, size: partial(take, _name(peer), memoryview(into)[:size]),
        LOAD: lambda _, size: partial(load, to("memory"), ASKED.pack(LOAD, size), memoryview(into)[:size]),
        STORE: lambda _, size: partial(store, to("memory"), ASKED.pack(STORE, size), memoryview(content)[:size]),
    }
    calls = [make[kind](peer, size) for kind, peer, size in steps]
    while True:
        for call in calls:
            call()
