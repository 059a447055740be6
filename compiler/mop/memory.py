"""Where tensors stand in the chip's memory, and the arrays that a flow names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

import numpy as np

from compiler.basis.weights import Array
from compiler.mop.steps import TensorPlace
from emu.interop.mop.flow import Named

_STRANGE = re.compile(r"[^A-Za-z0-9_.]+")


class ElementMemory:
    """Hands out elements of memory one after the other; nothing is used twice."""

    def __init__(self) -> None:
        self.used = 0

    def take(self, size: int) -> int:
        """The address of so many elements."""
        address, self.used = self.used, self.used + size
        return address

    def place(self, sizes: Sequence[int]) -> TensorPlace:
        """A new tensor of these sizes."""
        return TensorPlace(self.take(prod(sizes)), tuple(sizes))


class NamedArrays:
    """The arrays of a flow by names that its text can hold; equal arrays of one key have one name."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}

    def put(self, key: str, array: Array) -> Named:
        """Keep an array; its name is `key` as far as names may hold that, with a number if it is taken by another."""
        word = _STRANGE.sub("_", key).strip("_") or "array"
        word = word if word[0].isalpha() and not re.match(r"xb[0-9]", word) else f"_{word}"
        name, serial = word, 1
        while name in self.arrays and not _same(self.arrays[name], array):
            name, serial = f"{word}.{serial}", serial + 1
        self.arrays[name] = array
        return Named(name)


def _same(left: Array, right: Array) -> bool:
    return left.dtype == right.dtype and np.array_equal(left, right)
