"""Listening TCP sockets of a run: closed to newcomers once all are connected; strangers cannot use up all files."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import resource
import socket
import stat
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import zmq

from emu.errors import InputError
from emu.noc.wire.transports import first_transport

SO_ATTACH_FILTER = 26
INTERNET = (socket.AF_INET, socket.AF_INET6)
REFUSE_ALL = struct.pack("HBBI", 0x06, 0, 0, 0)  # a packet filter of one instruction: keep 0 bytes of any packet
LOOK = 500  # milliseconds between two looks while a peer is awaited
HANDSHAKE = 6000  # milliseconds after which a connection that has not proved who it is goes
PATIENCE = 15.0  # seconds without a free file until a process gives up; by then dropped connections have made room
SCARCE = (errno.EMFILE, errno.ENFILE)


def shut(endpoint: str) -> None:
    """Let no further connection come to `endpoint`, at which this process listens, if it has a port; those made stay.

    ZeroMQ would close them with the listening socket, so the kernel is told to drop what comes for it. Where that is
    not possible the door stays open, and strangers are turned away one by one.
    """
    port = endpoint.rstrip("/").rpartition(":")[2]
    if not port.isdecimal():
        return
    program = ctypes.create_string_buffer(REFUSE_ALL, len(REFUSE_ALL))
    option = struct.pack("@HP", 1, ctypes.addressof(program))
    for own in _sockets_at(int(port)):
        with contextlib.suppress(OSError):
            if own.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                own.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, option)


def _sockets_at(port: int) -> Iterator[socket.socket]:
    """The sockets of this process at its TCP port `port`, each by a descriptor of its own until the next is asked for.

    Those that cannot be had, for want of a free file or because they are closed meanwhile, are left out.
    """
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            copy = os.dup(int(entry.name))
            if not stat.S_ISSOCK(os.fstat(copy).st_mode):
                os.close(copy)
                continue
            with socket.socket(fileno=copy) as own:
                if own.family in INTERNET and own.getsockname()[1] == port:
                    yield own


def _no_files(who: str, endpoint: str) -> InputError:
    """The error of a process that can open no file any more while it joins a run."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return InputError(
        f"{who} has no open file left while it connects (the limit is {limit}): connections that strangers hold at "
        f"{endpoint} count, too; raise ulimit -n, end what connects there, or use "
        f"transport {first_transport(network=False)}"
    )


class Patience:
    """Waits for messages while a process joins; raises InputError if it has had no free file for too long."""

    def __init__(self, who: str, endpoint: str) -> None:
        self._who, self._endpoint = who, endpoint
        self._since: float | None = None

    def wait(self, socket: zmq.Socket[bytes]) -> None:
        """Block until `socket` has a message."""
        while not socket.poll(LOOK, zmq.POLLIN):
            self.look()

    def connect(self, make: Callable[[], zmq.Socket[bytes]]) -> zmq.Socket[bytes]:
        """What `make` makes, as soon as there is a file for it: connections of strangers that say nothing go."""
        while True:
            try:
                return make()
            except zmq.ZMQError as error:
                if error.errno not in SCARCE:
                    raise
            self.look()
            time.sleep(LOOK / 1000)

    def look(self) -> None:
        """Note whether a file can be opened."""
        try:
            os.close(os.dup(0))
        except OSError as error:
            if error.errno not in SCARCE:
                return
            now = time.monotonic()
            self._since = now if self._since is None else self._since
            if now - self._since > PATIENCE:
                raise _no_files(self._who, self._endpoint) from None
        else:
            self._since = None
