"""Boards that do what they should not: makers of back ends, by import path 'strange_boards:NAME'."""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np

from emu.arch import Arch
from emu.program.group import GroupSpec
from launch.devices.oracle import NumpyCore

CALL, LATE = 0.3, 4.0  # seconds that a product takes which is slow, or too slow


class Silent(NumpyCore):
    """It never comes back from a product."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        while True:
            time.sleep(60)


class Deaf(NumpyCore):
    """It never comes back from a write."""

    def write(self, group: int, row: int, values: np.ndarray) -> None:
        time.sleep(3600)


class Slow(NumpyCore):
    """Each product takes long."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        time.sleep(CALL)
        return super().multiply(group, vectors, start)


class Late(NumpyCore):
    """Each product takes too long."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        time.sleep(LATE)
        return super().multiply(group, vectors, start)


class Wide(NumpyCore):
    """It believes that it has a column more."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        return np.pad(super().multiply(group, vectors, start), ((0, 0), (0, 1)))


class OtherType(NumpyCore):
    """It answers in f64."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        return super().multiply(group, vectors, start).astype(np.float64)


class Lists(NumpyCore):
    """It answers nested lists."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> list[list[float]]:
        return super().multiply(group, vectors, start).tolist()


class Texts(NumpyCore):
    """It answers a text."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> str:
        return "all is well"


class Objects(NumpyCore):
    """It answers an array of what cannot be sent."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        return np.full((len(vectors), 1), object())


class Raising(NumpyCore):
    """It raises in the middle."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        raise OSError("the cable is loose")


class Verbose(NumpyCore):
    """It raises pages of text."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        raise OSError("no\n\tanswer\n" * 1000)


class Mute(NumpyCore):
    """It raises without a word."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        raise OSError


class Refusing(NumpyCore):
    """It acquires nothing."""

    def acquire(self, group: int, spec: GroupSpec) -> None:
        raise ValueError("no such type here")


class Forgetful(NumpyCore):
    """It lacks a method."""

    write = property()  # type: ignore[assignment]


class Talking(NumpyCore):
    """It prints what looks like answers, and works."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        print("\0\0\0\0\0\0\0\1garbage", flush=True)
        os.write(1, bytes(range(256)))
        return super().multiply(group, vectors, start)


class Leaving(NumpyCore):
    """It ends its process."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        sys.exit(7)


class Unmade:
    """It raises when it is made."""

    def __init__(self, arch: Arch, core: int) -> None:
        raise RuntimeError(f"no board at port {core}")


class KilledWhenMade:
    """Its process is killed when it is made."""

    def __init__(self, arch: Arch, core: int) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class NeverMade:
    """Its maker never comes back."""

    def __init__(self, arch: Arch, core: int) -> None:
        time.sleep(3600)


number = 7  # no maker at all
