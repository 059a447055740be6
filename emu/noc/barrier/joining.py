"""What a process needs to join a run: a description of the network, and a connection over which it can be greeted."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from emu.noc.barrier.greeting import Greeting, GreetingStage
from emu.noc.barrier.identity import identity_of
from emu.noc.ports.port import FlowControl
from emu.noc.wire.bind_address import LOOPBACK
from emu.noc.wire.frames import decode_header
from emu.noc.wire.library import Door, Library, Socket
from emu.noc.wire.transports import TRANSPORTS

AGAIN = 2.0  # seconds after which a member says again what was not answered


@dataclass(frozen=True, slots=True)
class Net:
    """The description of a run's network that all its processes have."""

    transport: str
    directory: Path  # of Unix sockets; private, and gone once all are connected
    token: bytes
    flow: FlowControl
    largest: int  # bytes of the largest message that is accepted
    keys: tuple[bytes, ...] = field(default=(), repr=False)  # of a run over a network, as its library makes them
    address: str = LOOPBACK  # where sockets of a network listen

    def library(self, connections: int = 0) -> Library:
        """The message library of this process, for so many `connections`; make it after the fork."""
        return TRANSPORTS[self.transport].library(connections)

    def listen(self, library: Library, name: str) -> tuple[Socket, Door]:
        """A socket called `name` that listens, and its door."""
        row = TRANSPORTS[self.transport]
        endpoint = row.endpoint(self.directory, name, self.address)
        return library.listen(endpoint, row.network, self.largest, self.keys)

    def connect(self, library: Library, endpoint: str, member: int) -> Socket:
        """A socket to `endpoint`, over which `member` of the run is known by its name; raises OSError."""
        return library.connect(endpoint, identity_of(self.token, member), self.keys)


def join_idle(net: Net, core: int, node: str) -> None:
    """Take part in the barrier as a core without a program."""
    memory = net.connect(net.library(), node, core)
    greeting = Greeting(core)
    while greeting.stage is not GreetingStage.STARTED:
        say(greeting, memory)
        if memory.poll(int(AGAIN * 1000)):
            hear(greeting, memory)


def say(greeting: Greeting, memory: Socket) -> None:
    """Say to the memory node what there is to say."""
    for _, frames in greeting.words():
        memory.send_multipart(frames)


def hear(greeting: Greeting, memory: Socket) -> bool:
    """Hear a message of the memory node, which is there: whether there is something new to say."""
    header, *payload = memory.recv_frames()
    return greeting.told(decode_header(header.bytes), b"".join(frame.buffer for frame in payload))


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
