"""One core's inbox: a ROUTER that takes messages only from peers who said hello with the token of the run."""

from __future__ import annotations

import hmac
from collections.abc import Collection

import zmq

from emu.noc.wire.door import Patience
from emu.noc.wire.frames import MAX_HEADER, Header, Kind, MalformedFrame, decode_header, encode_header

MAX_TOKEN = 64


class Inbox:
    """Receives messages of known senders; everything else is dropped without a word."""

    def __init__(self, socket: zmq.Socket[bytes], core: int, token: bytes) -> None:
        self.socket = socket
        self._core, self._token = core, token
        self._head = bytearray(MAX_HEADER)
        self._cores: dict[bytes, int] = {}  # routing identity -> core
        self._identities: dict[int, bytes] = {}

    def meet(self, cores: Collection[int], patience: Patience) -> None:
        """Block until each of `cores` has said hello, and answer; raises InputError if `patience` ends."""
        hello = encode_header(Kind.HELLO, self._core)
        while len(self._cores) < len(cores):
            patience.wait(self.socket)
            identity, header = self._next()
            new = header is not None and header.kind is Kind.HELLO and header.src in set(cores) - set(self._identities)
            if header is not None and new and self._has_token():
                self._cores[identity], self._identities[header.src] = header.src, identity
                self.socket.send_multipart([identity, hello])
            self.skip()

    def _has_token(self) -> bool:
        if not self.more:
            return False
        token = bytearray(MAX_TOKEN)
        size = self.socket.recv_into(token)
        return hmac.compare_digest(bytes(token[: min(size, MAX_TOKEN)]), self._token)

    def receive(self) -> tuple[int, bytes] | None:
        """Block for a message: its sender and header, a payload still to be read; None if nobody known sent it."""
        sender = self._cores.get(self.socket.recv())
        if sender is None:
            self.skip()
            return None
        return sender, self.socket.recv()

    def answer(self, core: int, header: bytes, payload: bytes = b"") -> None:
        """Send `header` (and `payload`, if any) back to `core`; if it is gone, its death is for others to tell."""
        send = self.socket.send
        try:
            send(self._identities[core], zmq.SNDMORE)
            if payload:
                send(header, zmq.SNDMORE)
            send(payload or header)
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:
                raise

    @property
    def more(self) -> bool:
        """Whether the message has further frames."""
        return bool(self.socket.get(zmq.RCVMORE))

    def skip(self) -> None:
        """Drop what is left of the message."""
        while self.more:
            self.socket.recv_into(bytearray())

    def _next(self) -> tuple[bytes, Header | None]:
        identity = self.socket.recv()
        if not self.more:
            return identity, None
        size = self.socket.recv_into(self._head)  # cuts off what is longer, which no header is
        try:
            return identity, decode_header(bytes(self._head[:size])) if size <= MAX_HEADER else None
        except MalformedFrame:
            return identity, None
