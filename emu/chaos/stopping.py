"""Stops this process for a while by SIGSTOP; a timer of the kernel sends the SIGCONT, as a stopped process cannot."""

from __future__ import annotations

import ctypes
import os
import signal
from contextlib import ExitStack

CLOCK_MONOTONIC = 1
SIGEV_SIGNAL = 0
NANO = 1_000_000_000
# A signal that comes before the stop is lost, so there are later ones: seconds after the first. No repeating timer:
# the kernel stops repeating a signal that was ignored.
AGAIN = (0.0, 0.01, 0.1, 1.0, 10.0, 60.0)


class _SigEvent(ctypes.Structure):
    _fields_ = [
        ("value", ctypes.c_void_p),
        ("signo", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("unused", ctypes.c_int * 12),
    ]


class _TimerSpec(ctypes.Structure):
    _fields_ = [("interval", ctypes.c_long * 2), ("value", ctypes.c_long * 2)]


def stop_for(seconds: float) -> None:
    """Stop all threads of this process; raises OSError if there are no timers to be had."""
    libc = ctypes.CDLL(None, use_errno=True)
    with ExitStack() as stack:
        timers = [ctypes.c_void_p() for _ in AGAIN]
        for timer in timers:
            event = _SigEvent(None, signal.SIGCONT, SIGEV_SIGNAL)
            _checked("timer_create", libc.timer_create(CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)))
            stack.callback(libc.timer_delete, timer)
        for timer, later in zip(timers, AGAIN, strict=True):
            whole, part = divmod(max(1, int((seconds + later) * NANO)), NANO)
            spec = _TimerSpec((0, 0), (whole, part))
            _checked("timer_settime", libc.timer_settime(timer, 0, ctypes.byref(spec), None))
        os.kill(os.getpid(), signal.SIGSTOP)


def _checked(call: str, status: int) -> None:
    if status:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
