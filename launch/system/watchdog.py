"""Ends a computation of this process that takes too long."""

from __future__ import annotations

import ctypes
import threading
import time
import weakref
from types import TracebackType


class Watchdog:
    """A context manager, entered as often as one likes: after `seconds` (None: never) the thread inside gets `error`.

    It comes between two bytecodes of Python, in any thread; a single call into NumPy is not interrupted. After the
    context it cannot come any more. One thread watches from the first use to `close`; it looks once in `seconds`, so
    that to enter and to leave wakes nobody up.
    """

    def __init__(self, seconds: float | None, error: type[BaseException]) -> None:
        self._seconds, self._error = seconds, error
        self._inside: int | None = None  # the thread
        self._ends = 0.0  # when it has to be out
        self._closed = False
        # A lock of C is taken and let go without a bytecode between, at which the error could come.
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._thread: threading.Thread | None = None

    def __enter__(self) -> None:
        if self._seconds is None:
            return
        with self._lock:
            self._inside, self._ends = threading.get_ident(), time.monotonic() + self._seconds
        if self._thread is None:
            known = weakref.ref(self)  # forgotten without `close`, it ends all the same
            about = known, self._changed, self._seconds
            self._thread = threading.Thread(target=_watch, args=about, name="watchdog", daemon=True)
            self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._inside = None

    def close(self) -> None:
        """End the thread that watches; outside of the context, as often as one likes."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def look(self) -> float | None:
        """Seconds to the end of what is inside, which gets the error if that is over; None if there is nothing."""
        if self._inside is None:
            return None
        left = self._ends - time.monotonic()
        if left > 0:
            return left
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._inside), ctypes.py_object(self._error))
        self._inside = None
        return None

    @property
    def closed(self) -> bool:
        """Whether nothing is watched any more."""
        return self._closed


def _watch(known: weakref.ref[Watchdog], changed: threading.Condition, seconds: float) -> None:
    with changed:
        while (watchdog := known()) is not None and not watchdog.closed:
            left = watchdog.look()
            del watchdog
            changed.wait(min(seconds if left is None else left, threading.TIMEOUT_MAX))
