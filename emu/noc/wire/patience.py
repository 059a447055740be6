"""How long a process that joins a run waits for free files, which strangers at its door may have used up."""

from __future__ import annotations

import errno
import os
import resource
import time
from collections.abc import Callable

from emu.errors import InputError
from emu.noc.wire.library import Door, Socket
from emu.noc.wire.transports import first_transport

LOOK = 500  # milliseconds between two looks while a peer is awaited
PATIENCE = 15.0  # seconds without a free file until a process gives up
SCARCE = (errno.EMFILE, errno.ENFILE)


class Patience:
    """Waits for messages while a process joins; raises InputError if it has had no free file for too long.

    `door` is where it listens, `expected` how many peers connect there, once that is known.
    """

    def __init__(self, who: str, door: Door, expected: int | None = None) -> None:
        self._who, self._door, self.expected = who, door, expected
        self._since: float | None = None
        self._next = 0.0

    def wait(self, socket: Socket) -> None:
        """Block until `socket` has a message."""
        self.look()
        while not socket.poll(LOOK):
            self.look()

    def connect(self, make: Callable[[], Socket]) -> Socket:
        """What `make` makes, as soon as there is a file for it."""
        while True:
            try:
                return make()
            except OSError as error:
                if error.errno not in SCARCE:
                    raise
            self.look()
            time.sleep(LOOK / 1000)

    def look(self) -> None:
        """Now and then, turn strangers away who are too many, and note whether a file can be opened."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + LOOK / 1000
        scarce = _no_file_left()
        self._door.turn_away(self.expected, scarce)
        self._since = (now if self._since is None else self._since) if scarce else None
        if self._since is not None and now - self._since > PATIENCE:
            raise _no_files(self._who, self._door.endpoint)


def _no_file_left() -> bool:
    try:
        os.close(os.dup(0))
    except OSError as error:
        return error.errno in SCARCE
    return False


def _no_files(who: str, endpoint: str) -> InputError:
    """The error of a process that can open no file any more while it joins a run."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return InputError(
        f"{who} has no open file left while it connects (the limit is {limit}): connections that strangers hold at "
        f"{endpoint} count, too; raise ulimit -n, end what connects there, or use "
        f"transport {first_transport(network=False)}"
    )
