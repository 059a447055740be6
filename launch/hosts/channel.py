"""Messages between a run and a host process: plain values by msgpack, the elements of arrays behind; no pickles."""

from __future__ import annotations

import struct
from collections.abc import Callable
from math import prod
from socket import socket
from typing import Any

import msgpack
import numpy as np

_LENGTH = struct.Struct("!Q")  # bytes of plain values, before them
_MOST_PLAIN, _MOST_ELEMENTS = 1 << 28, 1 << 36  # bytes
_ARRAY, _TEXTS = 1, 2  # types of msgpack's extensions
_OBJECTS = "OUS"  # kinds of arrays that are sent element by element


class Damaged(Exception):
    """What came is no message."""


class Channel:
    """One end of a socket. Where it would block, `wait` is called with whether it writes, and tried again after."""

    def __init__(self, end: socket, wait: Callable[[bool], None]) -> None:
        self._socket, self._wait = end, wait

    def close(self) -> None:
        """Close the socket; may be called twice."""
        self._socket.close()

    def send(self, message: Any) -> None:
        """Send lists, mappings, texts, numbers and arrays; raises ConnectionError, and what `wait` raises."""
        arrays: list[np.ndarray] = []

        def encode(value: Any) -> Any:
            if not isinstance(value, np.ndarray):
                raise TypeError(f"a {type(value).__name__} cannot be sent")
            if value.dtype.kind in _OBJECTS:
                return msgpack.ExtType(_TEXTS, msgpack.packb([value.shape, value.ravel().tolist()], default=encode))
            arrays.append(value)
            return msgpack.ExtType(_ARRAY, msgpack.packb([value.dtype.name, value.shape]))

        plain = msgpack.packb(message, default=encode)
        self._write(memoryview(_LENGTH.pack(len(plain)) + plain))
        for array in arrays:
            self._write(_elements(np.ascontiguousarray(array)))

    def receive(self) -> Any:
        """The next message; raises EOFError if there is none, Damaged, ConnectionError, and what `wait` raises."""
        arrays: list[np.ndarray] = []

        def decode(kind: int, content: bytes) -> Any:
            first, second = msgpack.unpackb(content, ext_hook=decode, strict_map_key=False)
            if kind == _TEXTS:
                texts = np.empty(prod(first), object)
                texts[:] = second
                return texts.reshape(first)
            if kind != _ARRAY or prod(second) * np.dtype(first).itemsize > _MOST_ELEMENTS:
                raise ValueError(f"extension {kind} of shape {second}")
            arrays.append(np.empty(second, first))
            return arrays[-1]

        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        if length > _MOST_PLAIN:
            raise Damaged(f"a message of {length} bytes")
        plain = self._read(length)
        try:
            message = msgpack.unpackb(plain, ext_hook=decode, strict_map_key=False)
        except Exception as error:  # msgpack and NumPy raise many
            raise Damaged(f"no message: {type(error).__name__}: {error}") from error
        for array in arrays:
            self._fill(_elements(array))
        return message

    def _read(self, size: int) -> bytes:
        content = bytearray(size)
        self._fill(memoryview(content))
        return bytes(content)

    def _fill(self, room: memoryview) -> None:
        while room:
            try:
                count = self._socket.recv_into(room)
            except BlockingIOError:
                self._wait(False)
                continue
            if not count:
                raise EOFError
            room = room[count:]

    def _write(self, content: memoryview) -> None:
        while content:
            try:
                content = content[self._socket.send(content) :]
            except BlockingIOError:
                self._wait(True)


def _elements(array: np.ndarray) -> memoryview:
    """The bytes of a contiguous array."""
    return memoryview(array.reshape(-1).view(np.uint8)) if array.size else memoryview(b"")
