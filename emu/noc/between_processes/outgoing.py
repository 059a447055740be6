"""One core's connection to a peer that it sends to: which messages were sent, and how many of them were taken."""

from __future__ import annotations

from emu.noc.ports.port import SizeMismatch
from emu.noc.watch.board import BoardRow
from emu.noc.wire.frames import FrameKind, decode_control, decode_header
from emu.noc.wire.library import Socket


class Outgoing:
    """Counts of messages to `peer` over `socket`: `sent`, and `taken` as far as is known.

    A peer on another machine says by messages what it has taken.
    """

    def __init__(self, peer: int, socket: Socket) -> None:
        self.peer, self.socket = peer, socket
        self.sent = self.taken = 0
        self.size = 0  # bytes of the message sent last

    def answered(self) -> bool:
        """Whether there is an answer to be heard now."""
        return bool(self.socket.poll(0))

    def hear(self) -> None:
        """Block for one answer; raises SizeMismatch if the receiver refused a message."""
        header = decode_header(self.socket.recv())
        if header.kind is FrameKind.NACK:
            raise self._refused(*decode_control(self.socket.recv()))
        if header.kind is FrameKind.ACK:  # else it is a greeting that was answered twice
            self.taken = header.seq + 1

    def reached(self, need: int) -> bool:
        """Whether so many messages were taken, as far as answers were heard."""
        return self.taken >= need

    def _refused(self, sent: int, expected: int) -> SizeMismatch:
        fault = SizeMismatch(sent, expected)
        fault.peer = self.peer
        return fault


class NearOutgoing(Outgoing):
    """The same to a peer that writes to the board which `row` is on, and rings this core's bell."""

    def __init__(self, peer: int, socket: Socket, row: BoardRow) -> None:
        super().__init__(peer, socket)
        self._row = row

    def answered(self) -> bool:
        """Nothing has to be heard before the board shows it."""
        return False

    def hear(self) -> None:
        """Block until the bell rings, for whatever reason."""
        self._row.bell.hear()

    def reached(self, need: int) -> bool:
        """Whether so many messages were taken; raises SizeMismatch if the receiver refused one."""
        if self.taken >= need:
            return True
        taken = self._row.acknowledged(self.peer)
        if taken < 0:
            raise self._refused(self.size, -1 - taken)
        self.taken = taken
        return taken >= need
