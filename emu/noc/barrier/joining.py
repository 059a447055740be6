"""What a process needs to join a run: a description of the network, and a connection over which it can be greeted."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import zmq

from emu.noc.barrier.greeting import Greeting, Stage
from emu.noc.barrier.identity import identity_of
from emu.noc.ports.port import Flow
from emu.noc.wire.bind_address import LOOPBACK
from emu.noc.wire.curve import Keys
from emu.noc.wire.frames import decode_header
from emu.noc.wire.sockets import connect_dealer, new_context

Socket = zmq.Socket[bytes]
AGAIN = 2.0  # seconds after which a member says again what was not answered


@dataclass(frozen=True, slots=True)
class Net:
    """The description of a run's network that all its processes have."""

    transport: str
    directory: Path  # of ipc sockets; private, and gone once all are connected
    token: bytes
    flow: Flow
    largest: int  # bytes of the largest message that is accepted
    keys: Keys | None = None  # of a run over TCP
    address: str = LOOPBACK  # where TCP listens


def connect_member(context: zmq.Context[Socket], endpoint: str, token: bytes, keys: Keys | None, member: int) -> Socket:
    """A socket to `endpoint`, over which `member` of the run with `token` is known by its name."""
    return connect_dealer(context, endpoint, keys, identity_of(token, member))


def join_idle(net: Net, core: int, node: str) -> None:
    """Take part in the barrier as a core without a program."""
    memory = connect_member(new_context(), node, net.token, net.keys, core)
    greeting = Greeting(core)
    while greeting.stage is not Stage.STARTED:
        say(greeting, memory)
        if memory.poll(int(AGAIN * 1000), zmq.POLLIN):
            hear(greeting, memory)


def say(greeting: Greeting, memory: Socket) -> None:
    """Say to the memory node what there is to say."""
    for _, frames in greeting.words():
        memory.send_multipart(frames)


def hear(greeting: Greeting, memory: Socket) -> bool:
    """Hear a message of the memory node, which is there: whether there is something new to say."""
    header, *payload = memory.recv_multipart()
    return greeting.told(decode_header(header), b"".join(payload))


class Timer:
    """Rings every `AGAIN` seconds, counted from the last time that it was `set`."""

    def __init__(self) -> None:
        self.set()

    def set(self) -> None:
        """Begin anew."""
        self._due = time.monotonic() + AGAIN

    def left(self) -> float:
        """Seconds until it rings, 0 if it does."""
        return max(0.0, self._due - time.monotonic())
