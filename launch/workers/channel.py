"""Messages between the launcher and a worker: plain values by msgpack, the elements of arrays behind; no pickles."""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable, Sequence
from socket import MSG_DONTWAIT, socket
from typing import Any, cast

import msgpack

from launch.workers.failures import UnreadableMessage

_LENGTH = struct.Struct("!Q")  # bytes of plain values, before them
_MOST_PLAIN = 1 << 28  # bytes
_MOST_PARTS = 1024  # that one call sends
_SMALL = 1 << 12  # bytes of room to pack plain values in, which grows: of the usual size it would be new pages
_AWAKE = 1e-4  # seconds that a reader polls before it sleeps: a wake-up takes as long as many a call
_AHEAD = 1 << 16  # bytes that are read at once
_TEXTS = "surrogatepass"  # names of files may hold bytes that are no text
_HOW: dict[str, Any] = {"strict_types": True, "unicode_errors": _TEXTS}  # values are packed


class SocketChannel:
    """One end of a socket. Where it would block, `wait` is called with whether it writes, and tried again after."""

    def __init__(self, end: socket, wait: Callable[[bool], None]) -> None:
        self._socket, self._wait = end, wait
        self._room = memoryview(bytearray(_AHEAD))
        self._ahead = self._room[:0]  # read ahead: most messages come in one piece

    def close(self) -> None:
        """Close the socket; may be called twice."""
        self._socket.close()

    def send(self, message: Sequence[memoryview]) -> None:
        """Send what `packed` has made; raises ConnectionError, and what `wait` raises."""
        left = [part for part in message if part.nbytes]
        while left:
            try:
                count = self._socket.sendmsg(left[:_MOST_PARTS])
            except BlockingIOError:
                self._wait(True)
                continue
            while left and count >= left[0].nbytes:
                count -= left.pop(0).nbytes
            if count:
                left[0] = left[0][count:]

    def receive(self) -> Any:
        """The next message; raises EOFError at the end, UnreadableMessage, ConnectionError, and what `wait` raises."""
        return _message(self._fill)

    def _fill(self, room: memoryview) -> None:
        while room:
            if self._ahead:
                count = min(len(room), len(self._ahead))
                room[:count], self._ahead = self._ahead[:count], self._ahead[count:]
            elif len(room) >= _AHEAD:
                count = self._read_into(room)
            else:
                self._ahead = self._room[: self._read_into(self._room)]
                continue
            room = room[count:]

    def _read_into(self, room: memoryview) -> int:
        """Wait for bytes, and read what is there; their number."""
        flags, until = MSG_DONTWAIT, 0.0
        while True:
            try:
                count = self._socket.recv_into(room, 0, flags)
            except BlockingIOError:
                now = time.monotonic()
                until = until or now + _AWAKE
                if now < until:
                    os.sched_yield()  # lets runnable threads go first
                elif flags:
                    flags = 0
                else:
                    self._wait(False)
                continue
            if not count:
                raise EOFError
            return count


def packed(message: Any) -> list[memoryview]:
    """Lists, mappings, texts, numbers and arrays as they are sent; tuples become lists.

    Raises TypeError, ValueError or OverflowError for what cannot be sent.
    """
    behind: list[memoryview] = []

    def pack(value: Any) -> bytes:
        return cast(bytes, msgpack.packb(value, default=encode, buf_size=_SMALL, **_HOW))

    def encode(value: Any) -> Any:
        if isinstance(value, tuple):
            return list(value)
        # Only now: a process that is measured must not load NumPy if nobody sends it an array.
        from launch.workers.arrays import pack_array

        return pack_array(value, pack, behind)

    plain = pack(message)
    return [memoryview(_LENGTH.pack(len(plain)) + plain), *behind]


def unpacked(content: memoryview) -> Any:
    """The message that all of `content` is, made by `packed`; raises UnreadableMessage."""
    left = content

    def fill(room: memoryview) -> None:
        nonlocal left
        if len(left) < len(room):
            raise UnreadableMessage("a message that is cut")
        if room:  # what has no elements cannot be written
            room[:], left = left[: len(room)], left[len(room) :]

    return _message(fill)


def _message(fill: Callable[[memoryview], None]) -> Any:
    """The next message of whoever fills a given room with its bytes."""

    def read(size: int) -> bytes:
        content = bytearray(size)
        fill(memoryview(content))
        return bytes(content)

    (length,) = _LENGTH.unpack(read(_LENGTH.size))
    if length > _MOST_PLAIN:
        raise UnreadableMessage(f"a message of {length} bytes")
    plain, behind = read(length), list[memoryview]()
    try:
        message = _unpacked(plain, behind)
    except Exception as error:  # msgpack and NumPy raise many
        raise UnreadableMessage(f"no message: {type(error).__name__}: {error}") from error
    for elements in behind:
        fill(elements)
    return message


def _unpacked(plain: bytes, behind: list[memoryview]) -> Any:
    """The message; the elements of its arrays are still to be read, one after the other, into `behind`."""

    def unpack(content: bytes) -> Any:
        return msgpack.unpackb(content, ext_hook=decode, strict_map_key=False, unicode_errors=_TEXTS)

    def decode(kind: int, content: bytes) -> Any:
        from launch.workers.arrays import unpack_array

        first, second = unpack(content)
        return unpack_array(kind, first, second, behind)

    return unpack(plain)
