"""The connection with a host program: frames in and out, closed as soon as the host is gone."""

from __future__ import annotations

import select
from math import prod
from socket import MSG_DONTWAIT, socket

import numpy as np

from launch.devices.wire import HEADER, DeviceFrame, request

_PART = 1 << 16  # bytes that are skipped at once


class HostGone(Exception):
    """The host program has hung up, or has ended."""


class HostConnection:
    """One end of a socket. `program` is a descriptor that becomes readable when the host has ended (None: not known).

    What a host has sent before it ended is still read; all methods raise HostGone when nothing more can come.
    """

    def __init__(self, end: socket, program: int | None = None) -> None:
        self._socket, self._program = end, program
        end.setblocking(False)

    def frame(self) -> DeviceFrame:
        """The next request; raises Damaged."""
        header = bytearray(HEADER.size)
        self._fill(memoryview(header))
        return request(bytes(header))

    def array(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """The next elements, for which there has to be room."""
        made = np.empty(shape, dtype)
        if prod(shape):
            self._fill(memoryview(made).cast("B"))
        return made

    def skip(self, length: int) -> None:
        """Read and drop so many bytes."""
        room = memoryview(bytearray(min(length, _PART)))
        while length:
            part = min(length, _PART)
            self._fill(room[:part])
            length -= part

    def send(self, content: bytes | memoryview) -> None:
        """Send all of it."""
        left = memoryview(content)
        while left:
            try:
                left = left[self._socket.send(left) :]
            except BlockingIOError:
                self._wait(select.POLLOUT)
            except OSError:
                raise HostGone from None

    def send_nowait(self, content: bytes) -> None:
        """Send a last message without waiting; bytes that do not fit into the socket's buffer are dropped."""
        try:
            self._socket.send(content, MSG_DONTWAIT)
        except OSError:  # it does not read, or is gone
            return

    def _fill(self, room: memoryview) -> None:
        while room:
            try:
                count = self._socket.recv_into(room)
            except BlockingIOError:
                self._wait(select.POLLIN)
                continue
            except OSError:
                raise HostGone from None
            if not count:
                raise HostGone
            room = room[count:]

    def _wait(self, event: int) -> None:
        poll = select.poll()
        poll.register(self._socket, event)
        if self._program is not None:
            poll.register(self._program, select.POLLIN)
        if self._socket.fileno() not in (descriptor for descriptor, _ in poll.poll()):
            raise HostGone  # it has ended, and what it has started holds the socket
