"""How a core, or the host, joins a run: bind, learn the addresses, say hello to peers, wait for the start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import zmq

from emu.noc.barrier import HOST
from emu.noc.bind_address import LOOPBACK
from emu.noc.board import BoardRow
from emu.noc.curve import Keys
from emu.noc.door import Patience, shut
from emu.noc.frames import Kind, MalformedFrame, decode_control, decode_header, encode_control, encode_header
from emu.noc.inbox import Inbox
from emu.noc.memory_link import MemoryLink
from emu.noc.port import Flow
from emu.noc.traffic import Peers
from emu.noc.transport import bind_router, connect_dealer, new_context
from emu.noc.zmq_port import ZmqPort

Socket = zmq.Socket[bytes]


@dataclass(frozen=True, slots=True)
class Net:
    """What everybody in a run knows about its network."""

    transport: str
    directory: Path  # of ipc sockets; private, and gone once all are connected
    token: bytes
    flow: Flow
    largest: int  # bytes of the largest message that is accepted
    keys: Keys | None = None  # of a run over TCP
    address: str = LOOPBACK  # where TCP listens


def join_core(
    net: Net, node: str, core: int, peers: Peers, row: BoardRow, make_port: Callable[..., ZmqPort] = ZmqPort
) -> ZmqPort:
    """Connect `core` to its peers and to the memory node at endpoint `node`; returns when all cores may start.

    `make_port` is called as `ZmqPort` is.
    """
    context = new_context(len(peers.outgoing))
    router, endpoint = bind_router(
        context, net.transport, net.directory, f"c{core}", net.largest, net.keys, net.address
    )
    patience = Patience(f"core {core}", endpoint)
    memory = patience.connect(lambda: _bind_message(context, node, net.token, net.keys, core, endpoint, peers.outgoing))
    outgoing, incoming = _expect(memory, Kind.TABLE, patience)
    sockets = {
        peer: patience.connect(partial(connect_dealer, context, address, net.keys))
        for peer, address in outgoing.items()
    }
    for socket in sockets.values():
        socket.send_multipart([encode_header(Kind.HELLO, core), net.token])
    inbox = Inbox(router, core, net.token)
    inbox.meet(incoming, patience)
    for socket in sockets.values():
        _expect(socket, Kind.HELLO, patience)
    memory.send(encode_header(Kind.READY, core))
    _expect(memory, Kind.GO, patience)
    shut(endpoint)
    return make_port(core, net.flow, inbox, sockets, MemoryLink(memory, core, row), row)


def join_idle(net: Net, core: int, node: str) -> None:
    """Take part in the barrier as a core without a program."""
    context = new_context()
    memory = _bind_message(context, node, net.token, net.keys, core, "", ())
    _expect(memory, Kind.GO, Patience(f"core {core}", node))


def join_host(context: zmq.Context[Socket], node: str, token: bytes, keys: Keys | None = None) -> Socket:
    """A socket to the memory node; its first message will be GO."""
    return _bind_message(context, node, token, keys, HOST, "", ())


def _bind_message(
    context: zmq.Context[Socket],
    node: str,
    token: bytes,
    keys: Keys | None,
    core: int,
    endpoint: str,
    peers: tuple[int, ...],
) -> Socket:
    socket = connect_dealer(context, node, keys)
    socket.send_multipart([encode_header(Kind.BIND, core), encode_control([token, endpoint, list(peers)])])
    return socket


def _expect(socket: Socket, kind: Kind, patience: Patience) -> tuple[dict[int, str], list[int]]:
    """Block for a message of `kind`; its payload is a table, or empty."""
    patience.wait(socket)
    frames = socket.recv_multipart()
    if decode_header(frames[0]).kind is not kind:
        raise MalformedFrame(f"the barrier expected {kind.name}, got {decode_header(frames[0]).kind.name}")
    outgoing, incoming = decode_control(frames[1]) if len(frames) > 1 else ({}, [])
    return outgoing, incoming
