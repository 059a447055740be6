"""The launcher's side of the zygote; imports little, so that it can start before anything else."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Protocol

from launch.processes.interpreter import Interpreter
from launch.system.cleanup import Cleaning
from launch.system.process_limits import no_process
from launch.system.process_state import stopped_by
from launch.system.readable import readable
from launch.system.run_directory import choose_run_directory

PATIENCE = 10.0  # seconds for the zygote to end


class StartedZygote(Protocol):
    """A zygote that was started, by any means.

    `pid` is its process, `parent` the one that it must not survive, `stdin` the other end of its standard input, `exit`
    a descriptor that becomes readable when it ends, or -1.
    """

    pid: int
    parent: int
    exit: int
    stdin: IO[bytes] | None

    def number(self, descriptor: int) -> int:
        """The number that an inherited descriptor has in the process."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status (minus the signal that killed it); raises subprocess.TimeoutExpired."""
        ...

    def kill(self) -> None:
        """End it, if it has not ended."""
        ...


Start = Callable[[Sequence[int], Sequence[str]], StartedZygote]  # of descriptors to inherit and directories to remove


class ZygoteProcess:
    """A process that imports what cores need, if it has not yet, and waits for orders at its standard input.

    By default it is a fresh interpreter. `memory` is an empty memory file for the status board and `sender` the end of
    `receiver`, a pipe, to which reports go; the zygote has inherited both. At its end it removes `directory`, which its
    owner may make for the sockets of the run, and the directory `scratch`, even if this process is killed.
    """

    def __init__(self, scratch: str = "", start: Start | None = None) -> None:
        self.directory = choose_run_directory()
        self.memory = os.memfd_create("emu-board", os.MFD_CLOEXEC)
        self.receiver, self.sender = os.pipe2(os.O_CLOEXEC)
        try:
            with no_process("the run"):
                self._process = (start or start_fresh)([self.memory, self.sender], [str(self.directory), scratch])
        except BaseException:
            self.close_given()
            self.close_receiver()
            raise
        self.started = False  # whether orders were given
        self.exit = self._process.exit

    @property
    def pid(self) -> int:
        """The process number."""
        return self._process.pid

    @property
    def parent(self) -> int:
        """The process that it must not survive."""
        return self._process.parent

    def number(self, descriptor: int) -> int:
        """The number that an inherited descriptor has in the process; -1 for none."""
        return self._process.number(descriptor) if descriptor >= 0 else -1

    def give(self, orders: bytes) -> None:
        """Start a run; descriptors that only the zygote needs are closed, so that the end of its reports is seen."""
        self.started = True
        self._write(orders)
        self.close_given()

    def expect(self, expected: bytes) -> None:
        """Send it, once and before `give`, the run that it may load already."""
        self._write(expected)

    def _write(self, data: bytes) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        with contextlib.suppress(BrokenPipeError):  # it died already: the end of its reports shows it
            pipe.write(data)
            pipe.flush()

    def close_given(self) -> None:
        """Close what the zygote has inherited."""
        for descriptor in (self.memory, self.sender):
            if descriptor >= 0:
                os.close(descriptor)
        self.memory = self.sender = -1

    def close_receiver(self) -> None:
        """Close the reading end of the reports."""
        if self.receiver >= 0:
            os.close(self.receiver)
            self.receiver = -1

    def has_ended(self) -> bool:
        """Whether it has ended; visible before the end of its reports, which its children hold open until they die."""
        return self.exit >= 0 and readable(self.exit, 0)

    def status(self) -> int:
        """The exit status once the reports have ended (minus the signal that killed it)."""
        return self._process.wait(PATIENCE)

    def close(self) -> None:
        """End the zygote, which ends all that it forked, and remove its `directory`; may be called twice."""
        with Cleaning():
            self._close()

    def _close(self) -> None:
        # Without orders, it need not finish its imports; stopped, it does not see the end of its input.
        if not self.started or stopped_by(self.pid):
            self._process.kill()
        self.close_given()
        self.close_receiver()
        with contextlib.suppress(BrokenPipeError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:  # its children die with it
            self._process.kill()
            self._process.wait()
        if self.exit >= 0:
            os.close(self.exit)
            self.exit = -1
        shutil.rmtree(self.directory, ignore_errors=True)  # killed, it has not done so itself


class Zygotes(Protocol):
    """A source of zygotes for runs."""

    def start(self, scratch: str = "") -> ZygoteProcess:
        """A zygote for one run; see `ZygoteProcess`."""
        ...


class FreshZygotes:
    """Every run gets a fresh interpreter."""

    def start(self, scratch: str = "") -> ZygoteProcess:
        """A zygote for one run."""
        return ZygoteProcess(scratch)


class ZygoteAhead:
    """The first run without a scratch directory gets `zygote`, started ahead; every other one a fresh interpreter."""

    def __init__(self, zygote: ZygoteProcess) -> None:
        self._zygote: ZygoteProcess | None = zygote

    def expect(self, image: Path, engine: str) -> None:
        """Let it load the cores of `image` while the launcher goes on; any other run is served all the same."""
        from launch.processes.orders import ExpectedRun

        if self._zygote is not None:
            self._zygote.expect(ExpectedRun(str(image.resolve()), engine).encode())

    def start(self, scratch: str = "") -> ZygoteProcess:
        """A zygote for one run."""
        if self._zygote is None or scratch:
            return ZygoteProcess(scratch)
        zygote, self._zygote = self._zygote, None
        return zygote


_lent: list[Zygotes] = []  # to this process, by the one that has started it


def lend(zygotes: Zygotes) -> None:
    """From now on runs of this process get their zygotes there by default."""
    _lent.append(zygotes)


def usual_zygotes() -> Zygotes:
    """The default source of zygotes."""
    return _lent[-1] if _lent else FreshZygotes()


@contextlib.contextmanager
def started_ahead(wanted: bool, zygotes: Zygotes | None = None) -> Iterator[Zygotes]:
    """A zygote that imports while the launcher does; it is gone at the end, whether it was used or not.

    None is started if none is `wanted`, or if there are `zygotes` for the run, or lent ones.
    """
    if zygotes is not None or _lent or not wanted:
        yield zygotes or usual_zygotes()
        return
    zygote = ZygoteProcess()
    try:
        yield ZygoteAhead(zygote)
    finally:
        zygote.close()


def start_fresh(descriptors: Sequence[int], directories: Sequence[str]) -> Interpreter:
    """A fresh interpreter, which removes the `directories` at its end."""
    return Interpreter("launch.processes.zygote", directories, subprocess.PIPE, descriptors)
