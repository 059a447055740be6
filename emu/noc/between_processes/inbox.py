"""One core's inbox: takes messages only from peers, known by names that only members of the run have."""

from __future__ import annotations

from collections.abc import Collection

from emu.noc.barrier.identity import identity_of
from emu.noc.ports.port import DamagedMessage
from emu.noc.wire.frames import FrameHeader, FrameKind, decode_header
from emu.noc.wire.library import ReceivedFrame, Socket


class Inbox:
    """Receives messages of `senders`; everything else is dropped without a word."""

    def __init__(self, socket: Socket, core: int, token: bytes, senders: Collection[int]) -> None:
        self.socket, self._core = socket, core
        self._identities = {sender: identity_of(token, sender) for sender in senders}
        self._cores = {identity: sender for sender, identity in self._identities.items()}
        self.early: list[
            tuple[FrameHeader, ReceivedFrame | None]
        ] = []  # messages, and syncs (None), of those who started before us
        self._name = b""  # of the sender of a message that is there, if it was read already

    def meet(self) -> tuple[int, ReceivedFrame] | None:
        """Take one message, which is there, before the start: who says hello, and how; None for anything else.

        What is for the time after the start is kept as `early`. Raises DamagedMessage, MalformedFrame.
        """
        sender = self._cores.get(self.socket.recv())
        if sender is None:
            self.skip()
            return None
        frame = self.socket.recv_frame()
        header = decode_header(frame.bytes)
        if header.kind is FrameKind.HELLO and not self.more:
            return sender, frame
        if header.kind is not (FrameKind.DATA if self.more else FrameKind.SYNC) or header.src != sender:
            raise self.senseless(sender, header)
        self.early.append((header, self.socket.recv_frame() if self.more else None))
        return None

    def senseless(self, sender: int, header: FrameHeader) -> DamagedMessage:
        """The error of a message that no core sends."""
        return DamagedMessage(f"core {self._core} got a message of core {sender} that makes no sense: {header}")

    def arrived(self) -> bool:
        """Whether a message is there."""
        return bool(self._name or self.socket.poll(0))

    def expect(self) -> None:
        """Block until a message is there."""
        self._name = self._name or self.socket.recv()

    def receive(self) -> tuple[int, bytes] | None:
        """Block for a message: its sender and header, a payload still to be read; None if nobody known sent it."""
        name, self._name = self._name or self.socket.recv(), b""
        sender = self._cores.get(name)
        if sender is None:
            self.skip()
            return None
        return sender, self.socket.recv()

    def answer(self, core: int, header: bytes, payload: bytes = b"") -> None:
        """Send `header` (and `payload`, if any) back to `core`; if it is gone, its death is for others to tell."""
        self.socket.answer(self._identities[core], header, *([payload] if payload else ()))

    @property
    def more(self) -> bool:
        """Whether the message has further frames."""
        return self.socket.more

    def skip(self) -> None:
        """Drop what is left of the message."""
        while self.more:
            self.socket.recv_into(bytearray())
