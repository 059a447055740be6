"""Ends a computation of this process that takes too long."""

from __future__ import annotations

import ctypes
import threading
from types import TracebackType


class Watchdog:
    """A context manager: after `seconds` (None: never) the thread inside gets the exception `error`.

    It comes between two bytecodes of Python, in any thread; a single call into NumPy is not interrupted. After the
    context it cannot come any more.
    """

    def __init__(self, seconds: float | None, error: type[BaseException]) -> None:
        self._error, self._lock, self._over = error, threading.Lock(), False
        self._thread = threading.get_ident()
        self._timer = None if seconds is None else threading.Timer(min(seconds, threading.TIMEOUT_MAX), self._expire)

    def __enter__(self) -> None:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is None:
            return
        with self._lock:
            self._over = True
        self._timer.cancel()
        self._timer.join()

    def _expire(self) -> None:
        with self._lock:
            if not self._over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(self._error))
