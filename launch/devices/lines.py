"""Lines to the cores of a device: calls are sent in order, and their results are fetched on demand."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from typing import Any

from emu.arch import Arch
from emu.errors import EmuError
from launch.devices.board import make_board
from launch.devices.calls import CallFailed, DeviceCall, UnexpectedResult
from launch.devices.core_worker import FAILED, ODD, plain_spec
from launch.devices.failures import BoardFailed, DeviceError, said_by
from launch.supervision.errors import CoreDied, RunTimeout
from launch.supervision.stopped_processes import Notice
from launch.system.readable import readable
from launch.workers.failures import WorkerDied, WorkerFailed, WorkerRefusal, WorkerTimedOut
from launch.workers.worker import Worker

START = 60.0  # seconds that a process may take to make its board, at least: it imports what its maker needs
SHARE = 0.1  # of the time for a call: calls in a row are answered after so much


class Line(ABC):
    """The device's end of one core, called `who`; `failure` is why it cannot be called any more."""

    def __init__(self, core: int) -> None:
        self.core, self.who = core, f"core {core} of the device"
        self.failure: EmuError | None = None

    def submit(self, call: DeviceCall) -> DeviceCall:
        """Queue `call` after all earlier ones; raises the failure of an earlier call."""
        with self._failing():
            self._submit(call)
        return call

    def wait(self, call: DeviceCall) -> Any:
        """The result of `call`; raises BoardFailed, CoreDied, RunTimeout, and the failure of an earlier call."""
        with self._failing():
            if not call.done:
                self._wait(call)
        return call.value

    @abstractmethod
    def look(self) -> None:
        """Raise CoreDied if the core is gone, whether or not a call is open."""
        ...

    @abstractmethod
    def ready(self) -> None:
        """Wait until it can be called."""
        ...

    @abstractmethod
    def close(self) -> None:
        """Close the line; may be called twice."""
        ...

    @abstractmethod
    def _submit(self, call: DeviceCall) -> None: ...

    @abstractmethod
    def _wait(self, call: DeviceCall) -> None: ...

    @contextlib.contextmanager
    def _failing(self) -> Any:
        if self.failure is not None:
            raise self.failure.with_traceback(None)
        try:
            yield
        except EmuError as error:
            self.failure = error
            raise
        except BaseException:  # as Ctrl-C: an answer may be half read
            self.failure = DeviceError(f"{self.who} was interrupted in the middle of a call: power on another device")
            raise


class OwnLine(Line):
    """A board in this process: a call is done when it returns."""

    def __init__(self, maker: str, arch: Arch, core: int) -> None:
        super().__init__(core)
        self._board = make_board(maker, arch, core)

    def look(self) -> None:
        """Nothing to check: the board lives in this process."""

    def ready(self) -> None:
        """Nothing to wait for."""

    def close(self) -> None:
        """Close the board, if it has a method for that."""
        getattr(self._board, "close", lambda: None)()

    def _submit(self, call: DeviceCall) -> None:
        call.finish(self._made(call), self.who)

    def _wait(self, call: DeviceCall) -> None:
        raise AssertionError(f"{call.method} of {self.who} was never made")

    def _made(self, call: DeviceCall) -> Any:
        try:
            return getattr(self._board, call.method)(call.group, *call.given)
        except EmuError:
            raise
        except Exception as error:
            return CallFailed(said_by(error))


class WorkerLine(Line):
    """A board in a process of its own: calls that are queued while it is busy are sent as one request."""

    def __init__(self, maker: str, arch: Arch, core: int, timeout: float | None, notice: Notice | None) -> None:
        super().__init__(core)
        self.made = False
        self._waiting: list[DeviceCall] = []
        self._asked: list[DeviceCall] = []
        self._worker = _BoardWorker(self, timeout, notice)
        patience = None if timeout is None else SHARE * timeout
        try:
            self._worker.ask("open", maker=maker, arch=arch.to_dict(), core=core, patience=patience)
        except BaseException:
            self._worker.close()
            raise

    @property
    def pid(self) -> int:
        """The process number."""
        return self._worker.pid

    @property
    def open_calls(self) -> list[DeviceCall]:
        """The calls without an answer yet."""
        return [*self._asked, *self._waiting]

    @property
    def under_way(self) -> str:
        """The first open call, as the end of a sentence about the process."""
        if not self.made:
            return " while its board is made"
        calls = self.open_calls
        methods = ", ".join(map(str, calls[:3]))
        more = f" and {len(calls) - 3} more" if len(calls) > 3 else ""
        return f" with open calls ({methods}{more})" if calls else ""

    def ready(self) -> None:
        """Wait until the board is made; raises DeviceError if it cannot be, CoreDied, RunTimeout."""
        self._worker.start_clock()  # others have been started since
        with self._failing():
            self._worker.answer()
        self.made = True
        self._worker.started()

    def look(self) -> None:
        """Raise CoreDied if the process is gone."""
        with self._failing():
            self._worker.look()

    def close(self) -> None:
        """End the process."""
        self._worker.close()

    def _submit(self, call: DeviceCall) -> None:
        self._waiting.append(call)
        if self._worker.busy and readable(self._worker.descriptors[0], 0):
            self._take()
        if not self._worker.busy:
            self._ask()

    def _wait(self, call: DeviceCall) -> None:
        self._worker.start_clock()
        while not call.done:
            self._take()
            if self.open_calls:
                self._ask()

    def _ask(self) -> None:
        """Ask for the next answers, and send the calls that were queued meanwhile."""
        calls, self._waiting = self._waiting, []
        self._asked += calls
        self._worker.ask("run", calls=[_plain(call) for call in calls])

    def _take(self) -> None:
        """Take an answer, which is that of the oldest calls."""
        answers, asked = self._worker.answer(), self._asked
        if not isinstance(answers, list) or not 0 < len(answers) <= len(asked):
            raise BoardFailed(f"{self.who} answered what is no answer{self.under_way}")
        self._asked = asked[len(answers) :]
        for call, (outcome, content) in zip(asked, answers, strict=False):
            call.finish(OUTCOMES.get(outcome, _same)(content), self.who)


class _BoardWorker(Worker):
    """The process of a line."""

    module, purpose = "launch.devices.core_worker", "the device"

    def __init__(self, line: WorkerLine, timeout: float | None, notice: Notice | None) -> None:
        self._line, self._seconds = line, timeout
        super().__init__(line.who, timeout=None if timeout is None else max(timeout, START), notice=notice)

    def started(self) -> None:
        """From now on the time is that for a call: one that begins just before an answer is due has all of it."""
        self._timeout = None if self._seconds is None else (1 + SHARE) * self._seconds

    def look(self) -> None:
        """Raise CoreDied if it has ended."""
        if self.has_ended():
            raise self.failure(self.death())

    def failure(self, found: WorkerFailed) -> EmuError:
        """The error for a failure, with the calls that it leaves open."""
        while_ = self._line.under_way
        match found:
            case WorkerDied():
                died = CoreDied(f"{self.name}{while_}", None, found.status, traceback=found.traceback)
                died.core = self._line.core
                return died
            case WorkerTimedOut():
                seconds = self._seconds if self._line.made and self._seconds is not None else found.seconds
                return RunTimeout(seconds, [f"{doing}{while_}" for doing in found.doing])
            case WorkerRefusal():
                return DeviceError(f"{self.name}: {found}")
            case _:
                return BoardFailed(f"{self.name} answered what is no answer{while_}: {found}")


def _same(value: Any) -> Any:
    return value


OUTCOMES = {FAILED: CallFailed, ODD: UnexpectedResult}  # what a call gets of an answer, if not its value


def _plain(call: DeviceCall) -> list[Any]:
    """A call as plain values, to be sent."""
    given = [plain_spec(call.given[0])] if call.method == "acquire" else call.given
    return [call.method, call.group, *given]
