"""What a process needs to join a run: a description of the network, its BIND message, and waiting for the barrier."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import zmq

from emu.noc.barrier.barrier import HOST
from emu.noc.ports.port import Flow
from emu.noc.wire.bind_address import LOOPBACK
from emu.noc.wire.curve import Keys
from emu.noc.wire.door import Patience
from emu.noc.wire.frames import Kind, MalformedFrame, decode_control, decode_header, encode_control, encode_header
from emu.noc.wire.sockets import connect_dealer, new_context

Socket = zmq.Socket[bytes]


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


def join_idle(net: Net, core: int, node: str) -> None:
    """Take part in the barrier as a core without a program."""
    context = new_context()
    memory = say_bind(context, node, net.token, net.keys, core, "", ())
    expect(memory, Kind.GO, Patience(f"core {core}", node))


def join_host(context: zmq.Context[Socket], node: str, token: bytes, keys: Keys | None = None) -> Socket:
    """A socket to the memory node; its first message will be GO."""
    return say_bind(context, node, token, keys, HOST, "", ())


def say_bind(
    context: zmq.Context[Socket],
    node: str,
    token: bytes,
    keys: Keys | None,
    core: int,
    endpoint: str,
    peers: tuple[int, ...],
) -> Socket:
    """A socket to the memory node at `node`, over which `core` has said where it listens and whom it sends to."""
    socket = connect_dealer(context, node, keys)
    socket.send_multipart([encode_header(Kind.BIND, core), encode_control([token, endpoint, list(peers)])])
    return socket


def expect(socket: Socket, kind: Kind, patience: Patience) -> tuple[dict[int, str], list[int]]:
    """Block for a message of `kind`; its payload is a table, or empty."""
    patience.wait(socket)
    frames = socket.recv_multipart()
    if decode_header(frames[0]).kind is not kind:
        raise MalformedFrame(f"the barrier expected {kind.name}, got {decode_header(frames[0]).kind.name}")
    outgoing, incoming = decode_control(frames[1]) if len(frames) > 1 else ({}, [])
    return outgoing, incoming
