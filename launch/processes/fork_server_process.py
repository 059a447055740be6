"""The launcher's side of the fork server."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import IO, Any, Protocol

from emu.errors import InputError
from launch.processes.fork_requests import KIND, ForkRequest, receive, send_request
from launch.processes.interpreter import Interpreter
from launch.system.cleanup import Cleaning
from launch.system.process_limits import no_process
from launch.system.process_state import stopped_by
from launch.system.readable import readable

PATIENCE = 20.0  # seconds for the server to end, longer than it waits for its zygotes
PERIOD = 0.5  # seconds between two checks whether the server is stopped
OF_ZYGOTES = ("launch.processes.ready", "emu.image.reader")  # needed, and by what they fork


class ServerGone(Exception):
    """The fork server has ended."""


class ForkServerClient:
    """A client of the fork server, process `pid`, in any process that has the request socket, in any thread."""

    def __init__(self, requests: socket.socket, pid: int) -> None:
        self._requests, self.pid = requests, pid
        self._asked = False

    @property
    def descriptor(self) -> int:
        """The socket, for another process that is to send requests."""
        return self._requests.fileno()

    def fork(
        self, descriptors: Sequence[int], directories: Sequence[str], output: int = 1, errors: int = 2, **more: Any
    ) -> Forked:
        """A process that inherits `descriptors` and removes `directories`; raises ServerGone and InputError.

        `output` and `errors` become its standard streams; `more` are further fields of `ForkRequest`.
        """
        with ExitStack() as theirs, ExitStack() as ours:
            channel, other = socket.socketpair(socket.AF_UNIX, KIND)
            ours.enter_context(channel)
            theirs.enter_context(other)
            place = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            theirs.callback(os.close, place)
            life_line, writer = os.pipe2(os.O_CLOEXEC)
            theirs.callback(os.close, life_line)
            pipe = ours.enter_context(open(writer, "wb"))  # noqa: PTH123
            own = life_line, output, errors, place, other.fileno()
            request = ForkRequest(*own, tuple(descriptors), tuple(directories), **more)
            self._asked = True
            with _gone():
                send_request(self._requests, request)
                theirs.close()  # else the channel would not end with the server
                self._wait(channel)
                answer, received = receive(channel)
            if "errno" in answer:
                raise OSError(answer["errno"], os.strerror(answer["errno"]))
            ours.pop_all()
            numbers = dict(zip(descriptors, answer["inherited"], strict=True))
            return Forked(answer["process"], self.pid, pipe, channel, received, numbers)

    def _wait(self, channel: socket.socket) -> None:
        """Wait for an answer; a server that is stopped raises InputError."""
        while not readable(channel, PERIOD):
            if reason := stopped_by(self.pid):
                raise InputError(
                    f"no zygote can be forked: the fork server, process {self.pid}, is stopped ({reason}); continue it "
                    "(SIGCONT)"
                )


class ServerProcess(Protocol):
    """The process of a fork server, as `Interpreter` is one."""

    pid: int
    exit: int

    def poll(self) -> int | None:
        """Its exit status, once it has ended."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """The same, after at most `timeout` seconds; raises subprocess.TimeoutExpired."""
        ...

    def kill(self) -> None:
        """End it, if it has not ended."""
        ...


class ForkServerProcess(ForkServerClient):
    """A process that forks others on request, and ends with this one; it takes requests from the socket of `start`.

    By default it is a fresh interpreter that imports `needed`; further `settings` are those of `Interpreter`.
    `purpose` is what it is for.
    """

    def __init__(
        self,
        needed: Sequence[str] = OF_ZYGOTES,
        purpose: str = "warm zygotes",
        start: Callable[[int], ServerProcess] | None = None,
        **settings: Any,
    ) -> None:
        requests, theirs = socket.socketpair(socket.AF_UNIX, KIND)
        try:
            with theirs, no_process(purpose):
                self._process = (start or partial(_fresh, needed, settings))(theirs.fileno())
        except BaseException:
            requests.close()
            raise
        super().__init__(requests, self._process.pid)
        if self._process.exit >= 0:
            os.close(self._process.exit)  # no client waits for it

    def has_ended(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End it; what it has forked ends, too, within some seconds. May be called twice."""
        with Cleaning():
            self._requests.close()
            if not self._asked:  # it need not finish its imports
                self._process.kill()
            patience = time.monotonic() + PATIENCE
            while not self._ends(PERIOD):
                if stopped_by(self.pid) or time.monotonic() > patience:  # what it has forked dies with it
                    self._process.kill()

    def _ends(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True


def _fresh(needed: Sequence[str], settings: Mapping[str, Any], requests: int) -> Interpreter:
    """A fork server that is a fresh interpreter."""
    arguments = [str(os.getpid()), *needed]
    return Interpreter("launch.processes.fork_server", arguments, requests, stdout=subprocess.DEVNULL, **settings)


class Forked:
    """A process that the process `parent` has forked and whose end it reports over `channel`; see `Started`."""

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
        """The number that an inherited descriptor has in the process."""
        return self._numbers[descriptor]

    def has_ended(self) -> bool:
        """Whether it has ended."""
        return self._status is not None or readable(self._channel, 0)

    def poll(self) -> int | None:
        """Its exit status (minus the signal that killed it), once it has ended."""
        return self.wait() if self.has_ended() else None

    def close(self) -> None:
        """Close the descriptors of it, once it has ended."""
        if self.stdin is not None:
            self.stdin.close()
        if self.exit >= 0:
            os.close(self.exit)
            self.exit = -1

    def kill(self) -> None:
        """End it, if it has not ended."""
        self.end(signal.SIGKILL)

    def end(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        if self._status is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            if self.exit >= 0:  # its number may be that of another process by now
                signal.pidfd_send_signal(self.exit, number)
            else:
                os.kill(self.pid, number)

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
                return -signal.SIGKILL  # its status is unknown; a zygote does not end by itself before it is told to
            if patience is not None and time.monotonic() > patience:
                raise subprocess.TimeoutExpired("the process", timeout or 0)
        try:
            return int(receive(self._channel)[0]["status"])
        except EOFError:  # the server is dead, and with it died the zygote
            if self.exit >= 0:
                readable(self.exit, timeout)
            return -signal.SIGKILL


@contextlib.contextmanager
def _gone() -> Iterator[None]:
    """Turns the errors of a server that has ended into ServerGone."""
    try:
        yield
    except (EOFError, OSError):
        raise ServerGone from None
