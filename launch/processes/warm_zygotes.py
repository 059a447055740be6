"""Zygotes for many runs: each is forked from one warm process, which has imported what they need."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from emu.errors import InputError
from launch.processes.fork_server_process import Forked, ForkServerClient, ForkServerProcess, ServerGone
from launch.processes.zygote_process import StartedZygote, ZygoteProcess, start_fresh
from launch.system.standard_streams import open_standard_streams


class WarmZygotes:
    """Gives each run, in any thread, a zygote that is ready at once; see `warm_zygotes`.

    `server` is the fork server of the first ones; without it, or when it has died, a fresh one is started.
    """

    def __init__(self, server: ForkServerProcess | None = None) -> None:
        open_standard_streams()  # before descriptors are opened that might get their numbers
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._server: ForkServerProcess | None = server or ForkServerProcess()

    @property
    def pid(self) -> int:
        """The process that zygotes are forked from now."""
        return self.server.pid

    @property
    def server(self) -> ForkServerClient:
        """The present fork server, to lend it."""
        return self._living()

    def start(self, scratch: str = "") -> ZygoteProcess:
        """A zygote for one run; raises InputError."""
        return ZygoteProcess(scratch, self.fork)

    def close(self) -> None:
        """End the warm process and, within some seconds, its forks; may be called twice."""
        with self._lock:
            server, self._server = self._server, None
        if server is not None and self._owner == os.getpid():
            server.close()

    def fork(self, descriptors: Sequence[int], directories: Sequence[str]) -> Forked:
        """Fork a process that inherits `descriptors` and removes `directories`; raises InputError."""
        for _ in range(2):  # it may be killed while it is asked
            server = self._living()
            try:
                return server.fork(descriptors, directories)
            except ServerGone:
                server.close()
        raise InputError("no zygote can be forked: the fork server ends as soon as it is started; see its last words")

    def _living(self) -> ForkServerProcess:
        """The server; a new one if the old one has died."""
        if self._owner != os.getpid():
            raise InputError("warm zygotes belong to the process that made them: this one is a fork of it")
        with self._lock:
            if self._server is None:
                raise InputError("these warm zygotes are closed: use them inside of their `with` block")
            if self._server.has_ended():
                self._server.close()
                self._server = ForkServerProcess()
            return self._server


class LentZygotes:
    """Zygotes of the fork server `pid` of another process, which has given this one the socket of its requests.

    If it is gone, runs get a fresh interpreter.
    """

    def __init__(self, requests: int, pid: int) -> None:
        self._server = ForkServerClient(socket.socket(fileno=requests), pid)

    def start(self, scratch: str = "") -> ZygoteProcess:
        """A zygote for one run; raises InputError."""
        return ZygoteProcess(scratch, self.fork)

    def fork(self, descriptors: Sequence[int], directories: Sequence[str]) -> StartedZygote:
        """As `WarmZygotes.fork` does, or a fresh interpreter if the server is gone; raises InputError."""
        try:
            return self._server.fork(descriptors, directories)
        except ServerGone:
            return start_fresh(descriptors, directories)


@contextmanager
def warm_zygotes() -> Iterator[WarmZygotes]:
    """Start a warm process for many runs: give it to `validate` or `power_on` as `zygotes`.

    It imports once what every run would import again, and forks what a run needs; several threads may run at once.
    Runs have the present standard streams and working directory, but the environment, limits and CPU affinity of the
    time when the warm process was started. If it dies, so do the runs under way, and the next run starts another one.
    At the end nothing of it is left.
    """
    zygotes = WarmZygotes()
    try:
        yield zygotes
    finally:
        zygotes.close()
