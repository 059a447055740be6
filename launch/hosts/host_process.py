"""A host process, seen from the process that starts it."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from emu.image.manifest import Segment
from launch.hosts.channel import Channel, Damaged
from launch.hosts.messages import Answer, Task, plain
from launch.processes.interpreter import Interpreter
from launch.supervision.errors import CoreDied, HostNodesFailed, RunTimeout
from launch.supervision.stalls import Notice, Stalls
from launch.system.cleanup import Cleaning
from launch.system.process_limits import no_process

PATIENCE = 10.0  # seconds that it may take to end
PERIOD = 0.5  # seconds between two looks whether it lives, where the kernel does not tell
_FEW = 3  # nodes that are named


class HostProcess:
    """A context manager over the process of one segment on the host, whose ONNX file stands in `folder`.

    `shapes` are those of its inputs, as far as they are fixed; `timeout` seconds for a sample (None: for ever);
    `notice` is told if somebody stops it. Raises InputError if no process can be had.
    """

    def __init__(
        self,
        folder: Path,
        segment: Segment,
        shapes: Mapping[str, tuple[int, ...]],
        timeout: float | None = None,
        notice: Notice | None = None,
    ) -> None:
        self.segment = segment
        self.name = f"the host process of {segment.file} ({nodes_of(segment)})"
        self._timeout = timeout
        ours, theirs = socket.socketpair()
        with theirs:
            self._socket, self._channel = ours, Channel(ours, self._wait)
            try:
                with no_process("the run"):
                    self._process = Interpreter(
                        "launch.hosts.host_worker",
                        [str(os.getpid()), str(theirs.fileno())],
                        subprocess.DEVNULL,
                        [theirs.fileno()],
                        stdout=subprocess.DEVNULL,
                    )
            except BaseException:
                ours.close()
                raise
        ours.setblocking(False)
        self._stalls = Stalls(None, {self.name: self.pid}, notice)
        self._begin()
        self._send(plain(Task(str(folder.resolve() / segment.file), segment.outputs, dict(shapes))))

    def __enter__(self) -> HostProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process number."""
        return self._process.pid

    def ready(self) -> None:
        """Wait until it can compute; raises HostNodesFailed, CoreDied, RunTimeout."""
        self._begin()
        self._receive()

    def run(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs of the nodes for one sample, by name; raises HostNodesFailed, CoreDied, RunTimeout."""
        self._begin()
        self._send(dict(given))
        return dict(self._receive().values)

    def close(self) -> None:
        """End it; may be called twice."""
        with Cleaning():
            self._channel.close()
            try:
                self._process.wait(0 if self._process.poll() is not None else PERIOD)
            except subprocess.TimeoutExpired:  # it computes
                self._process.kill()
                self._process.wait(PATIENCE)
            if self._process.exit >= 0:
                os.close(self._process.exit)
                self._process.exit = -1

    def _begin(self) -> None:
        """The time of an exchange begins: sending and receiving share it."""
        self._end = None if self._timeout is None else time.monotonic() + self._timeout
        self._stalls.rest()

    def _send(self, message: Any) -> None:
        with contextlib.suppress(ConnectionError):  # it has died: `_receive` tells so
            self._channel.send(message)

    def _wait(self, writing: bool) -> None:
        """Wait until the process reads or answers; raises CoreDied, RunTimeout."""
        left = PERIOD if self._end is None else min(PERIOD, self._end - time.monotonic())
        if left <= 0:
            raise RunTimeout(self._timeout or 0, self._stalls.unfinished() or [f"{self.name} computes"])
        poll = select.poll()
        poll.register(self._socket, select.POLLOUT if writing else select.POLLIN)
        if self._process.exit >= 0:
            poll.register(self._process.exit, select.POLLIN)
        ready = [descriptor for descriptor, _ in poll.poll(1000 * left)]
        if self._socket.fileno() not in ready and self._process.poll() is not None:
            raise CoreDied(self.name, None, self._process.wait())
        self._stalls.look()

    def _receive(self) -> Answer:
        try:
            answer = Answer(**self._channel.receive())
        except (EOFError, ConnectionError):
            raise CoreDied(self.name, None, self._process.wait(PATIENCE)) from None
        except (Damaged, TypeError) as error:
            raise HostNodesFailed(f"{self.name} answered what is no answer: {error}") from None
        if answer.bug:
            raise CoreDied(self.name, None, 1, traceback=answer.bug)
        if answer.fault:
            raise HostNodesFailed(f"{self.name} cannot compute them: {answer.fault}")
        return answer


def nodes_of(segment: Segment) -> str:
    """The nodes of a segment as a sentence names them."""
    more = len(segment.nodes) - _FEW
    return ", ".join(segment.nodes[:_FEW]) + (f" and {more} more" if more > 0 else "")
