"""A network that loses one message or one acknowledgement: for tests of what a run says about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import zmq

from emu.noc.frames import Kind, decode_header
from emu.noc.inbox import Inbox

Socket = zmq.Socket[bytes]
ACKNOWLEDGEMENT, MESSAGE = "acknowledgement", "message"


@dataclass(frozen=True, slots=True)
class Drop:
    """What is lost (`MESSAGE` or `ACKNOWLEDGEMENT`): that of message `index` from core `src` to core `dst`."""

    what: str
    src: int
    dst: int
    index: int

    def sockets(self, core: int, sockets: dict[int, Socket]) -> dict[int, Socket]:
        """The sockets with which `core` sends to its peers."""
        if self.what != MESSAGE or core != self.src or self.dst not in sockets:
            return sockets
        return {**sockets, self.dst: cast(Socket, _LossySocket(sockets[self.dst], self.index))}

    def inbox(self, core: int) -> Callable[[Socket, int, bytes], Inbox]:
        """What makes the inbox of `core`."""
        if self.what != ACKNOWLEDGEMENT or core != self.dst:
            return Inbox
        return lambda socket, core, token: _LossyInbox(socket, core, token, self)


class _LossyInbox(Inbox):
    """Does not send one acknowledgement."""

    def __init__(self, socket: Socket, core: int, token: bytes, drop: Drop) -> None:
        super().__init__(socket, core, token)
        self._drop = drop

    def answer(self, core: int, header: bytes, payload: bytes = b"") -> None:
        """Send `header`, unless it is the one to lose."""
        fields = decode_header(header)
        if fields.kind is not Kind.ACK or (core, fields.seq) != (self._drop.src, self._drop.index):
            super().answer(core, header, payload)


class _LossySocket:
    """A socket that does not send data message `index`; all else is the socket's own."""

    def __init__(self, socket: Socket, index: int) -> None:
        self._socket, self._index, self._losing = socket, index, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)

    def send(self, data: Any, flags: int = 0) -> None:
        """Send a frame, unless it belongs to the message to lose."""
        if self._losing:  # its payload
            self._losing = False
            return
        if flags & zmq.SNDMORE:
            self._losing = decode_header(bytes(data)).seq == self._index
        if not self._losing:
            self._socket.send(data, flags)
