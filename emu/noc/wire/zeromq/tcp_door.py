"""Listening TCP sockets of a run: few strangers at a time, and nobody new once all are connected."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import socket
import stat
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import zmq

from emu.noc.wire.library import Door, ReceivedFrame

SO_ATTACH_FILTER = 26
INTERNET = (socket.AF_INET, socket.AF_INET6)
REFUSE_ALL = struct.pack("HBBI", 0x06, 0, 0, 0)  # a packet filter of one instruction: keep 0 bytes of any packet
SPARE = 32  # connections that may have proved nothing, beside as many as are expected of honest peers


class TcpDoor(Door):
    """Knows who has come in at the endpoint at which `bind` makes this process listen; nothing where that has no port.

    A connection has proved itself when a message of a member came over it. How long that takes is up to the load of
    the machine, so it is not time that bounds strangers but their number: beyond it the oldest go. A peer among them
    comes again, and says again what it has to say.
    """

    def __init__(self, bind: Callable[[], str]) -> None:
        # A descriptor to look at others with. Strangers may have taken all others as soon as this process listens.
        self._hand = -1
        with contextlib.suppress(OSError):
            self._hand = os.dup(0)
        self._port = 0
        try:
            super().__init__(bind())
            port = self.endpoint.rstrip("/").rpartition(":")[2]
            self._port = int(port) if port.isdecimal() else 0
            self.strangers = bool(self._port)
        finally:
            if not self._port:
                self._let_go()
        self._proved: set[int] = set()  # connections, by inode
        self._seen: dict[int, int] = {}  # others, in the order in which they were seen first -> how often

    def proved(self, frame: ReceivedFrame) -> None:
        """`frame` came from a member of the run, and so does whatever comes over its connection."""
        if self._port:
            assert isinstance(frame, zmq.Frame)
            with contextlib.suppress(OSError):  # it is closed already
                self._proved.add(os.fstat(int(frame.get(zmq.SRCFD))).st_ino)

    def turn_away(self, expected: int | None, scarce: bool) -> None:
        """Close what is too much, beside the `expected` connections of peers (None: nobody knows yet how many).

        If files are `scarce`, all that have proved nothing since the last look are too much.
        """
        if self._hand < 0:
            return
        there = {inode for inode, _ in self.guests()}
        seen = [inode for inode in self._seen if inode in there]
        old = seen if scarce else []
        self._seen = dict.fromkeys([*seen, *sorted(there - self._seen.keys())], 0)
        if not scarce and expected is not None:
            old = list(self._seen)[: max(0, len(there) - expected - SPARE)]
        self._close(set(old).__contains__)

    def shut(self) -> None:
        """Let no further connection come, and close those that have proved nothing; the others stay.

        ZeroMQ would close them with the listening socket, so the kernel is told to drop what comes for it. Where that
        is not possible the door stays open, and strangers are turned away one by one.
        """
        if self._hand < 0:
            return
        program = ctypes.create_string_buffer(REFUSE_ALL, len(REFUSE_ALL))
        option = struct.pack("@HP", 1, ctypes.addressof(program))
        for own in self._sockets():
            with contextlib.suppress(OSError):
                if _listens(own):
                    own.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, option)
        self._close(lambda inode: True)
        self._let_go()

    def _let_go(self) -> None:
        if self._hand >= 0:
            os.close(self._hand)
        self._hand = -1

    def guests(self) -> Iterator[tuple[int, socket.socket]]:
        """Connections that have proved nothing."""
        for own in self._sockets():
            inode = os.fstat(own.fileno()).st_ino
            if inode not in self._proved and not _listens(own):
                yield inode, own

    def _close(self, chosen: Callable[[int], bool]) -> None:
        """End the `chosen` connections that have proved nothing; ZeroMQ closes them when it sees that."""
        for inode, own in self.guests():
            if chosen(inode):
                with contextlib.suppress(OSError):
                    own.shutdown(socket.SHUT_RDWR)

    def _sockets(self) -> Iterator[socket.socket]:
        """The sockets of this process at the port, one after the other in the hand; ZeroMQ may close its own."""
        for number in set(_open_files()) - {self._hand}:
            with contextlib.suppress(OSError):
                os.dup2(number, self._hand, inheritable=False)
                if not stat.S_ISSOCK(os.fstat(self._hand).st_mode):
                    continue
                own = socket.socket(fileno=self._hand)
                try:
                    if own.family in INTERNET and own.getsockname()[1] == self._port:
                        yield own
                finally:
                    own.detach()
        os.dup2(0, self._hand, inheritable=False)


def _listens(own: socket.socket) -> bool:
    return bool(own.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


def _open_files() -> list[int]:
    """The descriptors of this process, or where not even these can be listed, all that it may have."""
    try:
        return [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]
    except OSError:
        return list(range(resource.getrlimit(resource.RLIMIT_NOFILE)[0]))
