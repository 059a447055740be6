"""ZeroMQ sockets as this network uses them: contexts, options, keys."""

from __future__ import annotations

from pathlib import Path

import zmq

from emu.noc.wire.bind_address import LOOPBACK
from emu.noc.wire.curve import Keys
from emu.noc.wire.door import Door
from emu.noc.wire.transports import TRANSPORTS

BACKLOG = 4096  # connections that may queue at a socket while its owner is busy
DEFAULT_SOCKETS = 1023  # what a context has room for; more costs time
SPARE_SOCKETS = 16
HANDSHAKE = 60_000  # milliseconds for what comes in while the door is being shut; peers come again
HEADROOM = 1 << 16  # bytes of a message beside its payload


def new_context(sockets: int = 0) -> zmq.Context[zmq.Socket[bytes]]:
    """A context of this process with room for `sockets` more than a few; create it after the fork."""
    context = zmq.Context()
    context.set(zmq.MAX_SOCKETS, max(DEFAULT_SOCKETS, sockets + SPARE_SOCKETS))
    return context


def bind_router(
    context: zmq.Context[zmq.Socket[bytes]],
    transport: str,
    directory: Path,
    name: str,
    largest: int,
    keys: Keys | None = None,
    address: str = LOOPBACK,
) -> tuple[zmq.Socket[bytes], Door]:
    """A bound ROUTER and the door at its endpoint; `largest` bounds the bytes of one frame that it accepts.

    With `keys` it serves only who knows them; `address` is where TCP listens.
    """
    socket = context.socket(zmq.ROUTER)
    _unbounded(socket)
    socket.set(zmq.ROUTER_MANDATORY, 1)
    socket.set(zmq.ROUTER_HANDOVER, 1)  # who connects again is known before his old connection is given up
    socket.set(zmq.BACKLOG, BACKLOG)
    socket.set(zmq.HANDSHAKE_IVL, HANDSHAKE if TRANSPORTS[transport].network else 0)
    socket.set(zmq.MAXMSGSIZE, largest + HEADROOM)
    if keys is not None:
        keys.serve(socket)
    if ":" in address:
        socket.set(zmq.IPV6, 1)

    def bind() -> str:
        socket.bind(TRANSPORTS[transport].endpoint(directory, name, address))
        return socket.get_string(zmq.LAST_ENDPOINT)

    return socket, Door(bind)


def connect_dealer(
    context: zmq.Context[zmq.Socket[bytes]], endpoint: str, keys: Keys | None = None, name: bytes = b""
) -> zmq.Socket[bytes]:
    """A DEALER connected to `endpoint`, as a client with `keys` if there are any.

    `name` is its routing identity there, also when ZeroMQ has to make the connection anew (empty: whatever the ROUTER
    makes up). It waits for the other end as long as that takes.
    """
    socket = context.socket(zmq.DEALER)
    _unbounded(socket)
    socket.set(zmq.HANDSHAKE_IVL, 0)
    if name:
        socket.set(zmq.ROUTING_ID, name)
    if keys is not None:
        keys.join(socket)
    if "[" in endpoint:
        socket.set(zmq.IPV6, 1)
    socket.connect(endpoint)
    return socket


def _unbounded(socket: zmq.Socket[bytes]) -> None:
    """Queues are bounded by the flow, not by ZeroMQ; closing never waits."""
    socket.set(zmq.SNDHWM, 0)
    socket.set(zmq.RCVHWM, 0)
    socket.set(zmq.LINGER, 0)
