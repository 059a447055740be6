"""The fork server, seen from the process that starts it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import IO

from emu.errors import InputError
from launch.processes.fork_requests import KIND, ForkRequest, receive, send_request
from launch.processes.interpreter import Interpreter
from launch.system.cleanup import Cleaning
from launch.system.process_limits import no_process
from launch.system.process_state import stopped_by
from launch.system.readable import readable

PATIENCE = 20.0  # seconds for the server to end, longer than it waits for its zygotes
PERIOD = 0.5  # seconds between two looks whether the server is stopped


class ServerGone(Exception):
    """There is no fork server any more."""


class ForkServerProcess:
    """A fresh interpreter that forks zygotes when it is asked to, by any thread; it ends with this process."""

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, KIND)
        try:
            with theirs, no_process("warm zygotes"):
                self._process = Interpreter(
                    "launch.processes.fork_server", [str(os.getpid())], theirs.fileno(), stdout=subprocess.DEVNULL
                )
        except BaseException:
            self._requests.close()
            raise
        if self._process.exit >= 0:
            os.close(self._process.exit)  # nobody waits for it

    @property
    def pid(self) -> int:
        """The process number."""
        return self._process.pid

    def has_ended(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def fork(self, descriptors: Sequence[int], directories: Sequence[str]) -> ForkedZygote:
        """A zygote that inherits `descriptors` and removes `directories`; raises ServerGone and InputError."""
        with ExitStack() as theirs, ExitStack() as ours:
            channel, other = socket.socketpair(socket.AF_UNIX, KIND)
            ours.enter_context(channel)
            theirs.enter_context(other)
            place = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            theirs.callback(os.close, place)
            life_line, writer = os.pipe2(os.O_CLOEXEC)
            theirs.callback(os.close, life_line)
            pipe = ours.enter_context(open(writer, "wb"))  # noqa: PTH123
            request = ForkRequest(life_line, 1, 2, place, other.fileno(), tuple(descriptors), tuple(directories))
            with _gone():
                send_request(self._requests, request)
                theirs.close()  # else the channel would not end with the server
                self._wait(channel)
                answer, received = receive(channel)
            if "errno" in answer:
                raise OSError(answer["errno"], os.strerror(answer["errno"]))
            ours.pop_all()
            numbers = dict(zip(descriptors, answer["inherited"], strict=True))
            return ForkedZygote(answer["process"], self.pid, pipe, channel, received, numbers)

    def _wait(self, channel: socket.socket) -> None:
        """Wait for an answer, which a server that is stopped does not give."""
        while not readable(channel, PERIOD):
            if reason := stopped_by(self.pid):
                raise InputError(
                    f"no zygote can be forked: the fork server, process {self.pid}, is stopped ({reason}); continue it "
                    "(SIGCONT)"
                )

    def close(self) -> None:
        """End it; runs that are under way end, too, within some seconds. May be called twice."""
        with Cleaning():
            self._requests.close()
            patience = time.monotonic() + PATIENCE
            while not self._ends(PERIOD):
                if stopped_by(self.pid) or time.monotonic() > patience:  # its zygotes die with it
                    self._process.kill()

    def _ends(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True


class ForkedZygote:
    """A zygote that the process `parent` has forked, which tells over `channel` how it ended; see `Started`."""

    def __init__(
        self,
        process: int,
        parent: int,
        pipe: IO[bytes],
        channel: socket.socket,
        received: Sequence[int],
        numbers: dict[int, int],
    ) -> None:
        self.pid, self.parent = process, parent
        self.stdin: IO[bytes] | None = pipe
        self.exit = received[0] if received else -1
        self._channel, self._numbers = channel, numbers
        self._status: int | None = None

    def number(self, descriptor: int) -> int:
        """The number there of a descriptor that it has inherited."""
        return self._numbers[descriptor]

    def kill(self) -> None:
        """End it, if it has not ended."""
        if self._status is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            if self.exit >= 0:  # its number may be that of another process by now
                signal.pidfd_send_signal(self.exit, signal.SIGKILL)
            else:
                os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status (minus the signal that killed it); raises subprocess.TimeoutExpired."""
        if self._status is None:
            self._status = self._ended(timeout)
            self._channel.close()
        return self._status

    def _ended(self, timeout: float | None) -> int:
        patience = None if timeout is None else time.monotonic() + timeout
        while not readable(self._channel, PERIOD):
            if stopped_by(self.parent) and self.exit >= 0 and readable(self.exit, 0):
                return (
                    -signal.SIGKILL
                )  # how it ended cannot be told; by itself, a zygote does not before it is asked to
            if patience is not None and time.monotonic() > patience:
                raise subprocess.TimeoutExpired("the zygote", timeout or 0)
        try:
            return int(receive(self._channel)[0]["status"])
        except EOFError:  # the server is dead, and with it died the zygote
            if self.exit >= 0:
                readable(self.exit, timeout)
            return -signal.SIGKILL


@contextlib.contextmanager
def _gone() -> Iterator[None]:
    """Turns the signs of a server's end into ServerGone."""
    try:
        yield
    except (EOFError, OSError):
        raise ServerGone from None
