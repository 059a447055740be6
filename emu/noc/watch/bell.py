"""Bells: semaphores in memory that processes share, at which one of them sleeps and others wake it."""

from __future__ import annotations

import ctypes

import numpy as np

BELL = 8  # words (int64) of a bell: a cache line; a `sem_t` has 32 bytes on 64-bit machines
_SHARED = 1  # between processes

_libc = ctypes.CDLL(None)
_init, _post, _wait, _try = _libc.sem_init, _libc.sem_post, _libc.sem_wait, _libc.sem_trywait
_init.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_uint)
for _function in (_post, _wait, _try):
    _function.argtypes = (ctypes.c_void_p,)


class Bell:
    """The semaphore at `address`, which `memory` keeps. Whoever rings has written what the sleeper waits for before.

    A bell may ring without need: whoever has heard it looks whether there is what he waits for, and may sleep again.
    """

    def __init__(self, memory: object, address: int) -> None:
        self._memory, self._address = memory, address

    def hang(self) -> None:
        """Make it, once, in fresh memory; raises OSError where the system has none that processes share."""
        if _init(self._address, _SHARED, 0):
            raise OSError("this system has no semaphores in shared memory (sem_init), with which cores wake each other")

    def ring(self) -> None:
        """Wake who sleeps here, or who will."""
        _post(self._address)

    def hear(self) -> None:
        """Sleep until it rings, or has rung since it was heard last, or a signal comes."""
        _wait(self._address)

    def fence(self) -> None:
        """What this process has written is seen by all others before it reads what is read after this."""
        _post(self._address)
        _try(self._address)


def bell_at(words: np.ndarray, word: int) -> Bell:
    """The bell at number `word` of `words` (int64), which stay where they are."""
    return Bell(words, words.__array_interface__["data"][0] + word * words.itemsize)
