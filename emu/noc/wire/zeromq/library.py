"""ZeroMQ as a `Library`: contexts, ROUTERs that listen, DEALERs that connect, and their options."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple, replace
from typing import Any

import zmq

from emu.noc.wire.library import Door, Source
from emu.noc.wire.zeromq.constant_send import send_constant
from emu.noc.wire.zeromq.curve import Keys, fresh_keys
from emu.noc.wire.zeromq.tcp_door import TcpDoor

BACKLOG = 4096  # connections that may queue at a socket while its owner is busy
DEFAULT_SOCKETS = 1023  # what a context has room for; more costs time
SPARE_SOCKETS = 16
HANDSHAKE = 60_000  # milliseconds for what comes in while the door is being shut; peers come again
HEADROOM = 1 << 16  # bytes of a message beside its payload


class ZeroMqSocket(zmq.Socket[bytes]):
    """A socket of ZeroMQ, with what the network asks for beside its own methods."""

    def lend(self, data: memoryview) -> None:
        """Send a last frame, which stays as it is until the receiver has said that it took it."""
        send_constant(self, data)

    def copied(self, data: memoryview) -> zmq.Frame:
        """A copy of a large frame that is sent later; ZeroMQ sends its own frames as they are."""
        return zmq.Frame(data, copy=True)

    def answer(self, name: bytes, *frames: Any) -> None:
        """Send a message to the member called `name`; if it is gone, nothing."""
        try:
            self.send(name, zmq.SNDMORE)
            for frame in frames[:-1]:
                self.send(frame, zmq.SNDMORE)
            self.send(frames[-1])
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:
                raise

    def offer(self, frame: Any) -> None:
        """Send a message of one frame, unless ZeroMQ has given the connection up: as it does after damaged bytes."""
        with suppress(zmq.Again):
            self.send(frame, zmq.DONTWAIT)

    def recv_frame(self) -> zmq.Frame:
        """Block for the next frame, which is not copied."""
        return self.recv(copy=False)

    def recv_frames(self) -> list[zmq.Frame]:
        """Block for all frames of a message, which are not copied; each says whether there are more, which takes less
        than asking the socket."""
        frames = [self.recv_frame()]
        while frames[-1].more:
            frames.append(self.recv_frame())
        return frames

    @property
    def more(self) -> bool:
        """Whether the message of the frame received last has further ones."""
        return bool(self.get(zmq.RCVMORE))


class ZeroMq:
    """A context of this process with room for `connections` more sockets than a few; its threads survive no fork."""

    def __init__(self, connections: int = 0) -> None:
        self.context: zmq.Context[Any] = zmq.Context()
        self.context.set(zmq.MAX_SOCKETS, max(DEFAULT_SOCKETS, connections + SPARE_SOCKETS))

    def listen(self, endpoint: str, network: bool, largest: int, keys: Sequence[bytes]) -> tuple[ZeroMqSocket, Door]:
        """A bound ROUTER and the door at its endpoint; `largest` bounds the bytes of one frame that it accepts.

        With `keys` it serves only who knows them.
        """
        socket = self._socket(zmq.ROUTER, endpoint)
        socket.set(zmq.ROUTER_MANDATORY, 1)
        socket.set(zmq.ROUTER_HANDOVER, 1)  # who connects again is known before his old connection is given up
        socket.set(zmq.BACKLOG, BACKLOG)
        socket.set(zmq.HANDSHAKE_IVL, HANDSHAKE if network else 0)
        socket.set(zmq.MAXMSGSIZE, largest + HEADROOM)
        if keys:
            Keys(*keys).serve(socket)

        def bind() -> str:
            socket.bind(endpoint)
            return socket.get_string(zmq.LAST_ENDPOINT)

        return socket, TcpDoor(bind)

    def connect(self, endpoint: str, name: bytes, keys: Sequence[bytes] = ()) -> ZeroMqSocket:
        """A DEALER connected to `endpoint`, as a client with `keys` if there are any. Raises OSError.

        `name` is its routing identity there, also when ZeroMQ has to make the connection anew. It waits for the other
        end as long as that takes.
        """
        try:
            socket = self._socket(zmq.DEALER, endpoint)
            socket.set(zmq.HANDSHAKE_IVL, 0)
            socket.set(zmq.ROUTING_ID, name)
            if keys:
                Keys(*keys).join(socket)
            socket.connect(endpoint)
        except zmq.ZMQError as error:
            raise OSError(error.errno, str(error)) from error
        return socket

    def _socket(self, kind: int, endpoint: str) -> ZeroMqSocket:
        """Queues are bounded by the flow, not by ZeroMQ; closing never waits."""
        socket: ZeroMqSocket = self.context.socket(kind, socket_class=ZeroMqSocket)
        socket.set(zmq.SNDHWM, 0)
        socket.set(zmq.RCVHWM, 0)
        socket.set(zmq.LINGER, 0)
        if "[" in endpoint:
            socket.set(zmq.IPV6, 1)
        return socket

    def close(self) -> None:
        """End the context; waits for sockets that are open."""
        self.context.term()

    @staticmethod
    def ready(sources: Sequence[Source], timeout: int) -> list[Source]:
        """Those of `sources`, sockets and descriptors, that can be read within `timeout` milliseconds."""
        asked: list[tuple[Any, int]] = [(source, zmq.POLLIN) for source in sources]
        readable: list[Any] = [source for source, _ in zmq.zmq_poll(asked, timeout)]
        return readable

    @staticmethod
    def fresh_keys() -> tuple[bytes, ...]:
        """New keys of a run over TCP; raises InputError if this machine's ZeroMQ has no CURVE."""
        return astuple(fresh_keys())

    @staticmethod
    def guest_keys(first: bytes) -> tuple[bytes, ...]:
        """Keys of a client that was told the server's public one; raises InputError as `fresh_keys` does."""
        return astuple(replace(fresh_keys(), server_public=first, server_secret=b""))
