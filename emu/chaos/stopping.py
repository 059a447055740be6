"""Stops this process for a while by SIGSTOP; a timer of the kernel sends the SIGCONT that nobody here could send."""

from __future__ import annotations

import ctypes
import os
import signal

CLOCK_MONOTONIC = 1
SIGEV_SIGNAL = 0
NANO = 1_000_000_000


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
    """Stop all threads of this process; raises OSError if there is no timer to be had.

    The timer goes off again and again until it is deleted: the first time might come before the stop.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    timer, event = ctypes.c_void_p(), _SigEvent(None, signal.SIGCONT, SIGEV_SIGNAL)
    if libc.timer_create(CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)):
        raise _error("timer_create")
    try:
        whole, part = divmod(max(1, int(seconds * NANO)), NANO)
        time = (ctypes.c_long * 2)(whole, part)
        if libc.timer_settime(timer, 0, ctypes.byref(_TimerSpec(time, time)), None):
            raise _error("timer_settime")
        os.kill(os.getpid(), signal.SIGSTOP)
    finally:
        libc.timer_delete(timer)


def _error(call: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{call}: {os.strerror(number)}")
