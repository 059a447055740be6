"""SIGINT, SIGTERM, SIGHUP and a deadline end the command, wherever it is: at once, by an exception, or by force.

Before a command begins and after it has ended there is nothing to clean up: the process ends at once. Within a
command the handler raises `Terminated`, so that directories and processes go. A thread sees to it that this has an
effect: it sends the signal again until the exception unwinds (some callback may have swallowed it), and ends the
process if that takes too long. It halts the main thread for this: nothing is made any more while it removes what is
there, and no half-told answer is told again.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import NoReturn

from launch.cli.schema import SCHEMA
from launch.system.cleanup import cleaning

WORDS = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
    signal.SIGHUP: "terminated",
    signal.SIGALRM: "the deadline has passed: give the command more time with --deadline",
}
SIGNALS = tuple(WORDS)
TIMEOUT = 6  # exit code when the deadline has passed
KNOCK = 0.05  # seconds between two signals of the thread
GRACE = 0.7  # seconds until the process is ended by force
PATIENCE = 15.0  # the same while clean-up of ours is under way, which ends by itself
TELL = 3.0  # the same while the end is told: to a reader that does not read, this takes forever
HALT = 0.3  # seconds for the main thread to come to a halt; in a call that does not return it makes nothing either
STARVED = 5.0  # the same on a machine so busy that it does not get a processor
MOMENT = 0.001
SHOW_CURSOR = "\x1b[?25h"
EARLY, RUNNING, WRITING, OVER = range(4)  # what the main thread does: only RUNNING, a signal raises


class Terminated(BaseException):
    """This process was asked to end by signal `number`; no KeyboardInterrupt, which libraries treat in their ways."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def exit_code(self) -> int:
        """128 plus the signal, as shells have it; the exit code of a timeout for the deadline."""
        return TIMEOUT if self.number == signal.SIGALRM else 128 + self.number

    def __str__(self) -> str:
        """The sentence for the signal."""
        return WORDS[signal.Signals(self.number)]


class _State:
    """Of this process, which has one main thread and one end."""

    phase = EARLY
    number = 0  # the signal that came first
    armed = False
    as_json = False  # a JSON object is expected on stdout
    answered = False  # it is written
    error_printed = False  # so is a sentence about the end
    halt = False  # the main thread is to stand still
    halted = False  # it does
    lent = False  # SIGINT is somebody else's


_ender: dict[str, int] = {}  # the thread that ends the process


def arm(as_json: bool) -> None:
    """From now on the signals end this process; those that are ignored (nohup) stay ignored. Main thread only."""
    _State.phase, _State.as_json, _State.answered, _State.error_printed = EARLY, as_json, False, False
    if _State.armed:
        return
    _State.armed = True
    main, unraisable, printed = _thread.get_ident(), sys.unraisablehook, sys.excepthook
    reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _on_signal)
    # Swallowed by a callback, it comes again. C code may print it with and without this (Cython: both).
    sys.unraisablehook = lambda about: None if isinstance(about.exc_value, Terminated) else unraisable(about)
    sys.excepthook = lambda kind, value, trace: None if isinstance(value, Terminated) else printed(kind, value, trace)
    with contextlib.suppress(RuntimeError):  # no thread can be had: signals act between two bytecodes, as ever
        _thread.start_new_thread(_watch, (reader, main))


class Raising:
    """A context manager: inside, signals raise `Terminated`; after an error, they wait for `mark_over`."""

    def __enter__(self) -> None:
        _State.phase = RUNNING

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        _State.phase = OVER if value is None else WRITING


@contextlib.contextmanager
def deadline_of(seconds: float | None) -> Iterator[None]:
    """Inside of it, the command ends when so many seconds have passed (None: it does not)."""
    signal.setitimer(signal.ITIMER_REAL, seconds or 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def interrupts_to(hear: Callable[[], None]) -> Iterator[None]:
    """Inside of it, SIGINT does not end the command but calls `hear`, in the main thread."""
    before = signal.signal(signal.SIGINT, lambda number, frame: hear())
    _State.lent = True
    try:
        yield
    finally:
        _State.lent = False
        signal.signal(signal.SIGINT, before)


def error_printed() -> None:
    """An error is printed: no other sentence follows. Until then, a forced end prints its own."""
    _State.error_printed = True


def mark_over() -> None:
    """The answer is printed: from now on signals end the process at once."""
    _State.phase = OVER


class Answering:
    """A context manager around the writing of the one JSON object on stdout: signals wait, and come after it.

    Gives False if one is written already.
    """

    def __enter__(self) -> bool:
        self._phase, _State.phase = _State.phase, WRITING
        free = not (_State.armed and _State.answered)
        _State.answered = True
        return free

    def __exit__(self, *_: object) -> None:
        _State.phase = self._phase
        if _State.number and self._phase == RUNNING:
            raise Terminated(_State.number)


def end_if_signalled() -> None:
    """The command is over: if a signal ended it, leave without what an interpreter does at its end."""
    if _State.number:
        _end()


def _on_signal(number: int, frame: FrameType | None) -> None:
    if _ender.get("thread") == _thread.get_ident():
        return  # another signal while this thread ends the process, which goes on with that
    _State.number = _State.number or number
    while _State.halt:
        _State.halted = True
        time.sleep(MOMENT)
    if _State.phase == RUNNING:
        # An import that fails half-way may be turned into another error, and printed: it ends soon.
        if not _unwinding() and not _importing(frame):
            raise Terminated(_State.number)
    elif _State.phase != WRITING:
        _end()


def _unwinding() -> bool:
    """Whether the main thread (this one) is cleaning up because of the signal."""
    return isinstance(end_behind(sys.exc_info()[1]), Terminated)


def end_behind(error: BaseException | None) -> BaseException | None:
    """The `Terminated` whose clean-up ended in `error`; `error` itself if there is none."""
    behind = error
    while behind is not None and not isinstance(behind, Terminated):
        behind = behind.__context__
    return behind or error


def _importing(frame: FrameType | None) -> bool:
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None


def _watch(reader: int, main: int) -> None:
    """The thread: what the C handlers write into the pipe wakes it even if the main thread runs no Python."""
    while not (came := [number for number in os.read(reader, 256) if number in SIGNALS and not _is_lent(number)]):
        pass
    began = time.monotonic()
    while True:
        time.sleep(KNOCK)
        lasted = time.monotonic() - began
        if lasted > (PATIENCE if cleaning() else GRACE):
            _State.number = _State.number or came[0]
            _halt(main, came[0])
            if _State.phase != WRITING or lasted > TELL:
                _end()
            _State.halt = _State.halted = False
        signal.pthread_kill(main, came[0])


def _is_lent(number: int) -> bool:
    return _State.lent and number == signal.SIGINT


def _halt(main: int, number: int) -> None:
    """Let the main thread stand still where it is, between two bytecodes."""
    _State.halt, began, clock = True, time.monotonic(), time.pthread_getcpuclockid(main)
    used = time.clock_gettime(clock)
    while not _State.halted and (lasted := time.monotonic() - began) < STARVED:
        if lasted > HALT and not (_wants_to_run() and time.clock_gettime(clock) - used < HALT):
            return  # in a call: it blocks, or computes
        signal.pthread_kill(main, number)
        time.sleep(MOMENT)


def _wants_to_run() -> bool:
    """Whether the main thread would run if a processor, or the disk, were free."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] in "RD"
    except (OSError, IndexError):
        return False


def _end() -> NoReturn:
    """Say it and go, without unwinding; once, in the thread that comes first."""
    this = _thread.get_ident()
    while _ender.setdefault("thread", this) != this:
        time.sleep(1)  # another thread is about to end the process
    with contextlib.suppress(Exception):
        if written := sys.modules.get("emu.output.temporary"):  # not loaded, nothing was begun
            written.remove_all()
    end = Terminated(_State.number)
    if not _State.error_printed:
        _State.error_printed = True
        _write(2, f"error: {end}\n")
    if _State.as_json and not _State.answered:
        _write(1, f'{{"schema": {SCHEMA}, "error": "{end}", "exit_code": {end.exit_code}}}\n')
    if os.isatty(2):
        _write(2, SHOW_CURSOR)  # a progress bar may have hidden it
    os._exit(end.exit_code)


def _write(descriptor: int, text: str) -> None:
    """Write if that is possible now: a reader that does not read must not keep this process."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    with contextlib.suppress(OSError):
        if any(event & select.POLLOUT for _, event in poll.poll(0)):
            os.write(descriptor, text.encode())
