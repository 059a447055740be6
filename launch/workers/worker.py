"""The client side of a worker: requests with a deadline, and a notice if the process is stopped."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import time
from collections.abc import Iterable
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from launch.processes.interpreter import Interpreter
from launch.supervision.stopped_processes import Notice, StopMonitor
from launch.system.cleanup import Cleaning
from launch.system.process_limits import no_process
from launch.system.process_state import stopped_by
from launch.system.standard_streams import open_standard_streams
from launch.workers import serving
from launch.workers.channel import SocketChannel, packed
from launch.workers.failures import UnreadableMessage, WorkerDied, WorkerFailed, WorkerRefusal, WorkerTimedOut

PATIENCE = 10.0  # seconds that it may take to end its children
PERIOD = 0.5  # seconds between two checks whether it lives, where the kernel does not signal its end


class Worker:
    """A context manager over a process that serves the functions of `module`; one request is under way at a time.

    Each kind is a class that says what its `module` is, for which `purpose` it is started, and by `failure` which error
    tells of a request that has failed. `name` is what sentences call this one. A request may take `timeout` seconds
    from its first byte to the last one of its answer (None: no limit); `notice` is called if the process is stopped.
    Its standard error is kept for `errors` if it is `captured`; further `settings` are those of `Interpreter`. Raises
    InputError if no process can be had.
    """

    module: ClassVar[str]
    purpose: ClassVar[str]

    def __init__(
        self,
        name: str,
        *,
        timeout: float | None = None,
        notice: Notice | None = None,
        captured: bool = False,
        **settings: Any,
    ) -> None:
        self.name, self._timeout = name, timeout
        self._busy, self._end = False, None
        open_standard_streams()  # before there are descriptors of ours, which might get their numbers
        self._errors = os.memfd_create("emu-errors", os.MFD_CLOEXEC) if captured else -1
        self._socket, theirs = socket.socketpair()
        self._channel = SocketChannel(self._socket, self._wait)
        with theirs:
            try:
                with no_process(self.purpose):
                    self._process = Interpreter(
                        self.module,
                        [str(os.getpid()), str(theirs.fileno())],
                        subprocess.DEVNULL,
                        [theirs.fileno()],
                        stdout=subprocess.DEVNULL,
                        stderr=self._errors if captured else None,
                        **settings,
                    )
            except BaseException:
                self._close_ends()
                raise
        self._socket.setblocking(False)
        self._stops = StopMonitor({name: self.pid}, notice)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process number."""
        return self._process.pid

    @property
    def busy(self) -> bool:
        """Whether an answer is due."""
        return self._busy

    @property
    def errors(self) -> str:
        """Its standard error so far, if that is captured; until it is closed."""
        if self._errors < 0:
            return ""
        return os.pread(self._errors, os.fstat(self._errors).st_size, 0).decode(errors="replace")

    def has_ended(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def call(self, function: str, /, **given: Any) -> Any:
        """What `function` returns for these arguments; raises what `failure` makes of WorkerFailed."""
        self.ask(function, **given)
        return self.answer()

    def ask(self, function: str, /, **given: Any) -> None:
        """Send a request, whose answer `answer` gives; raises what `failure` makes of WorkerDied and WorkerTimedOut.

        If the process has died before it has read all of it, `answer` tells so.
        """
        if self._busy:
            if self.has_ended():
                raise self.failure(self.death())
            raise AssertionError(f"{self.name} has not answered the last request")
        request = packed([function, given])
        self._busy = True
        self.start_clock()
        with contextlib.suppress(ConnectionError):
            self._channel.send(request)

    def start_clock(self) -> None:
        """Start the time of a request: with `ask`, and again if its answer is only awaited from now on."""
        self._end = None if self._timeout is None else time.monotonic() + self._timeout
        self._stops.restart()

    def answer(self) -> Any:
        """Wait for the answer that is due; raises what `failure` makes of WorkerFailed."""
        try:
            answer = self._channel.receive()
        except (EOFError, ConnectionError):
            raise self.failure(self._end_of_socket()) from None
        except UnreadableMessage as error:
            raise self.failure(error) from None
        match answer:
            case [serving.VALUE | serving.REFUSAL | serving.BUG as kind, content]:
                self._busy = False
            case _:
                raise self.failure(UnreadableMessage(f"a {type(answer).__name__}"))
        if kind == serving.VALUE:
            return content
        raise self.failure(WorkerRefusal(content) if kind == serving.REFUSAL else WorkerDied(1, str(content)))

    def failure(self, found: WorkerFailed) -> Exception:
        """The error for a request that has failed; derived classes choose theirs."""
        return found

    def watch(self) -> None:
        """Report to the notice whether the process was stopped or continued."""
        self._stops.look()

    def finish(self) -> None:
        """Wait until it ends by itself; raises what `failure` makes of WorkerDied unless its exit status is 0."""
        self._channel.close()
        while self._process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(PERIOD)
            self.watch()
        if status := self._process.wait():
            raise self.failure(WorkerDied(status, errors=self.errors))

    def close(self) -> None:
        """End it, at once if it is busy or stopped; may be called twice."""
        with Cleaning():
            self._close_ends()
            if self._busy or stopped_by(self.pid):
                self._process.kill()
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            if self._process.exit >= 0:
                os.close(self._process.exit)
                self._process.exit = -1

    @property
    def descriptors(self) -> list[int]:
        """Descriptors that become readable when the process sends something, or ends."""
        return [number for number in (self._socket.fileno(), self._process.exit) if number >= 0]

    def _wait(self, writing: bool) -> None:
        """Wait until the process reads or answers; raises what `failure` makes of WorkerDied and WorkerTimedOut."""
        left = PERIOD if self._end is None else min(PERIOD, self._end - time.monotonic())
        if left <= 0:
            raise self.failure(
                WorkerTimedOut(self._timeout or 0, self._stops.unfinished() or [f"{self.name} computes"])
            )
        poll = select.poll()
        for descriptor in self.descriptors:
            poll.register(descriptor, select.POLLIN)
        poll.register(self._socket, select.POLLOUT if writing else select.POLLIN)
        ready = [descriptor for descriptor, _ in poll.poll(1000 * left)]
        if self._socket.fileno() not in ready and self.has_ended():
            raise self.failure(self.death())
        self.watch()

    def _end_of_socket(self) -> WorkerFailed:
        """Why no answer can come any more."""
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return UnreadableMessage("nothing, and reads no more")
        return self.death()

    def death(self) -> WorkerDied:
        """How it has ended, after waiting for that."""
        return WorkerDied(self._process.wait(), errors=self.errors)

    def _close_ends(self) -> None:
        self._channel.close()
        if self._errors >= 0:
            os.close(self._errors)
            self._errors = -1


AnyWorker = TypeVar("AnyWorker", bound=Worker)


def ready(workers: Iterable[AnyWorker], seconds: float) -> list[AnyWorker]:
    """The workers that have sent something or have ended, as soon as there is one, or after `seconds`."""
    poll, by_descriptor = select.poll(), dict[int, AnyWorker]()
    for worker in workers:
        for descriptor in worker.descriptors:
            poll.register(descriptor, select.POLLIN)
            by_descriptor[descriptor] = worker
    found = [by_descriptor[descriptor] for descriptor, _ in poll.poll(1000 * seconds)]
    for worker in by_descriptor.values():
        worker.watch()
    return list(dict.fromkeys(found))
