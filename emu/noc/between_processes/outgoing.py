"""One core's connection to a peer that it sends to: which messages were sent, and how many of them were taken."""

from __future__ import annotations

from emu.noc.ports.port import SizeMismatch
from emu.noc.wire.frames import FrameKind, decode_control, decode_header
from emu.noc.wire.library import Socket


class Outgoing:
    """Counts of messages `sent` to `peer` and `taken` there."""

    def __init__(self, peer: int, socket: Socket) -> None:
        self.peer, self.socket = peer, socket
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
