"""How a core joins a run: it binds, learns the addresses, says hello to its peers and waits for the start."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from emu.noc.barrier.joining import Net, expect, say_bind
from emu.noc.between_processes.inbox import Inbox
from emu.noc.between_processes.zmq_port import ZmqPort
from emu.noc.memory.board_clock import BoardCoreClock
from emu.noc.memory.memory_link import MemoryLink
from emu.noc.memory.sample_clock import CoreClock
from emu.noc.traffic.traffic import Peers
from emu.noc.watch.board import BoardRow
from emu.noc.wire.door import Patience, shut
from emu.noc.wire.frames import Kind, encode_header
from emu.noc.wire.sockets import bind_router, connect_dealer, new_context


def join_core(
    net: Net,
    node: str,
    core: int,
    peers: Peers,
    row: BoardRow,
    make_port: Callable[..., ZmqPort] = ZmqPort,
    clock: CoreClock | None = None,
) -> ZmqPort:
    """Connect `core` to its peers and to the memory node at endpoint `node`; returns when all cores may start.

    `make_port` is called as `ZmqPort` is. `clock` is the board's, unless the memory node is on another machine.
    """
    context = new_context(len(peers.outgoing))
    router, endpoint = bind_router(
        context, net.transport, net.directory, f"c{core}", net.largest, net.keys, net.address
    )
    patience = Patience(f"core {core}", endpoint)
    memory = patience.connect(lambda: say_bind(context, node, net.token, net.keys, core, endpoint, peers.outgoing))
    outgoing, incoming = expect(memory, Kind.TABLE, patience)
    sockets = {
        peer: patience.connect(partial(connect_dealer, context, address, net.keys))
        for peer, address in outgoing.items()
    }
    for socket in sockets.values():
        socket.send_multipart([encode_header(Kind.HELLO, core), net.token])
    inbox = Inbox(router, core, net.token)
    inbox.meet(incoming, patience)
    for socket in sockets.values():
        expect(socket, Kind.HELLO, patience)
    memory.send(encode_header(Kind.READY, core))
    expect(memory, Kind.GO, patience)
    shut(endpoint)
    return make_port(core, net.flow, inbox, sockets, MemoryLink(memory, core, row, clock or BoardCoreClock(row)), row)
