"""A proxy between the ends of ZeroMQ connections, which drops chosen ones at chosen moments of what is said on them.

It stands before every Unix socket of a run. What a connection has to suffer is drawn when it is made; the next one in
its place draws again, unless a greeting has been answered already: then it is that of a run, whose messages are not
said again. Only a `relentless` network drops such a connection, too.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

from emu.noc.wire.frames import FrameKind

GREETING = 64  # bytes, of either end
MORE, LONG, COMMAND = 1, 2, 4
HEADER_KIND = 2  # the place of the kind in a header
# The moments at which a connection is dropped.
UNPROVED = "before the listener has finished its handshake"  # the other end has, and has spoken
UNHEARD = "with the first message"
UNANSWERED = "with the first answer"
ANSWERED = "after the first answer"
MOMENTS = (UNPROVED, UNHEARD, UNANSWERED, ANSWERED)


class Stream:
    """One direction of a connection: cuts bytes into pieces, (bytes, what it is): "greeting", "command", "message"."""

    def __init__(self) -> None:
        self._greeting, self._buffer, self._message = GREETING, b"", b""

    def pieces(self, data: bytes) -> Iterator[tuple[bytes, str]]:
        """The pieces that `data` completes: messages whole, the greeting as it comes."""
        self._buffer += data
        if self._greeting and self._buffer:
            part, self._buffer = self._buffer[: self._greeting], self._buffer[self._greeting :]
            self._greeting -= len(part)
            yield part, "greeting"
        while (size := self._size()) and len(self._buffer) >= size:
            frame, self._buffer = self._buffer[:size], self._buffer[size:]
            if frame[0] & COMMAND:
                yield frame, "command"
                continue
            self._message += frame
            if not frame[0] & MORE:
                message, self._message = self._message, b""
                yield message, "message"

    def _size(self) -> int:
        """Bytes of the next frame, 0 if that cannot be told yet."""
        if self._greeting or len(self._buffer) < 2:
            return 0
        if not self._buffer[0] & LONG:
            return 2 + self._buffer[1]
        return 9 + int.from_bytes(self._buffer[1:9], "big") if len(self._buffer) >= 9 else 0


def kind_of(message: bytes) -> int:
    """The kind of a message, which begins with a (short) header."""
    return message[2 + HEADER_KIND]


class Link:
    """A connection: what `front` says goes to `back`, and the other way, until it is dropped at its moment."""

    def __init__(self, front: socket.socket, back: socket.socket, moment: str, answered: set[bytes]) -> None:
        self.moment, self.dropped = moment, False
        self._answered, self._name = answered, b""  # names of those who were answered by that listener
        self._other = {front: back, back: front}
        self._front = front
        self._streams = {front: Stream(), back: Stream()}

    @property
    def ends(self) -> list[socket.socket]:
        return list(self._other)

    def carries(self, source: socket.socket) -> bool:
        """Carry what `source` has to say; False: the connection is over."""
        try:
            data = source.recv(1 << 16)
            for piece, what in self._streams[source].pieces(data):
                asks = source is self._front
                if not self._loses(asks, piece, what):
                    self._other[source].sendall(piece)
                if self.dropped:
                    break
        except OSError:
            return False
        return bool(data) and not self.dropped

    def _loses(self, asks: bool, piece: bytes, what: str) -> bool:
        """Whether a piece is lost; with a message the connection is dropped, too, or after one that it has suffered."""
        message = what == "message"
        if asks and what == "command" and piece in self._answered:
            self.moment = ""
        elif asks and what == "command":
            self._name = piece  # the end of a handshake has the name of the member in it
        lost = {
            UNPROVED: asks and what != "greeting",
            UNHEARD: asks and message,
            UNANSWERED: not asks and message,
        }.get(self.moment, False)
        ended = self.moment == ANSWERED and not asks and message and kind_of(piece) != FrameKind.GO
        if message and not asks and not lost:  # from now on it is the connection of a run, if it is not dropped
            self._answered.add(self._name)
            self.moment = self.moment if ended else ""
        self.dropped = (lost and message) or ended
        return lost


class FlakyNetwork:
    """A context manager: `front` is an address that stands before another. Every connection suffers with `share`."""

    def __init__(self, directory: Path, seed: int, share: float, relentless: bool = False) -> None:
        self.dropped: Counter[str] = Counter()
        self._relentless = relentless
        self._answered: dict[str, set[bytes]] = defaultdict(set)
        self._directory, self._share, self._random = directory, share, Random(seed)
        self._fronts: dict[str, str] = {}
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = os.pipe()
        self._sockets: set[socket.socket] = set()

    def __enter__(self) -> FlakyNetwork:
        self._selector.register(self._wake, selectors.EVENT_READ, None)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        os.write(self._woken, b".")
        self._thread.join()
        self._selector.close()
        for each in self._sockets:
            each.close()
        os.close(self._wake)
        os.close(self._woken)

    def front(self, endpoint: str) -> str:
        """Where to connect in place of `endpoint`, ipc://PATH."""
        with self._lock:
            if endpoint not in self._fronts:
                path = self._directory / f"front{len(self._fronts)}"
                listener = socket.socket(socket.AF_UNIX)
                listener.bind(str(path))
                listener.listen(1024)
                self._sockets.add(listener)
                self._selector.register(listener, selectors.EVENT_READ, endpoint.removeprefix("ipc://"))
                self._fronts[endpoint] = f"ipc://{path}"
            return self._fronts[endpoint]

    def _run(self) -> None:
        while True:
            for key, _ in self._selector.select():
                match key.data:
                    case None:
                        return
                    case str(path):
                        self._accept(key.fileobj, path)
                    case link:
                        if key.fileobj in self._sockets and not link.carries(key.fileobj):
                            self._drop(link)

    def _accept(self, listener: socket.socket, path: str) -> None:
        front, _ = listener.accept()
        back = socket.socket(socket.AF_UNIX)
        try:
            back.connect(path)
        except OSError:
            front.close()
            back.close()
            return
        suffers = self._random.random() < self._share
        link = Link(front, back, self._random.choice(MOMENTS) if suffers else "", self._of(path))
        for end in link.ends:
            self._sockets.add(end)
            self._selector.register(end, selectors.EVENT_READ, link)

    def _of(self, path: str) -> set[bytes]:
        """Who was answered by the listener at `path`: a relentless network does not care."""
        return set() if self._relentless else self._answered[path]

    def _drop(self, link: Link) -> None:
        if link.dropped:
            self.dropped[link.moment] += 1
        for end in link.ends:
            with contextlib.suppress(KeyError):
                self._selector.unregister(end)
            self._sockets.discard(end)
            end.close()
