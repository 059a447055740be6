"""One core's connection to a peer that it sends to: which messages were sent, and how many of them were taken."""

from __future__ import annotations

from collections.abc import Callable

import zmq

from emu.noc.ports.port import SizeMismatch
from emu.noc.wire.constant_send import constant_sender
from emu.noc.wire.frames import FrameKind, decode_control, decode_header

Socket = zmq.Socket[bytes]
Payload = memoryview | zmq.Frame
Give = Callable[..., object]  # sends a payload as the last frame


class Outgoing:
    """Counts of messages `sent` to `peer` and `taken` there."""

    def __init__(self, peer: int, socket: Socket) -> None:
        self.peer, self.socket = peer, socket
        self.lend = constant_sender(socket)  # sends memory that stays as it is until it is taken
        self.sent = self.taken = 0

    def acknowledged(self, expected: bytes) -> None:
        """Block for one acknowledgement; raises PortFault if the receiver refused the message."""
        data = self.socket.recv()
        if data == expected:
            self.taken += 1
            return
        header = decode_header(data)
        if header.kind is FrameKind.NACK:
            fault = SizeMismatch(*decode_control(self.socket.recv()))
            fault.peer = self.peer
            raise fault
        self.taken = header.seq + 1  # of a greeting that was answered twice: nothing yet
