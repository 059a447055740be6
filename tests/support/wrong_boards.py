"""Boards with one mistake each, which the contract has to find: makers by import path 'wrong_boards:NAME'."""

from __future__ import annotations

import numpy as np

from emu.arch import Arch
from emu.program.group import GroupSpec
from launch.devices.oracle import NumpyCore


class NoStart(NumpyCore):
    """It forgets what a product is added to."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        return super().multiply(group, vectors, None)


class WholeWrites(NumpyCore):
    """Rows that are written erase the others."""

    def write(self, group: int, row: int, values: np.ndarray) -> None:
        self._matrices[group][:] = 0
        super().write(group, row, values)


class FirstRows(NumpyCore):
    """It writes to row 0 on, whatever it is told."""

    def write(self, group: int, row: int, values: np.ndarray) -> None:
        super().write(group, 0, values)


class FirstWrite(NumpyCore):
    """What is written first stays."""

    def write(self, group: int, row: int, values: np.ndarray) -> None:
        if not self._matrices[group].any():
            super().write(group, row, values)


class OneMatrix(NumpyCore):
    """All crossbars of a core hold the same matrix."""

    def write(self, group: int, row: int, values: np.ndarray) -> None:
        for held in self._matrices.values():
            rows, cols = held[row : row + len(values)].shape
            high, wide = min(rows, len(values)), min(cols, values.shape[1])
            held[row : row + high, :wide] = values[:high, :wide]


class OneTile(NumpyCore):
    """Of a matrix over several crossbars it keeps one row of them."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        kept = vectors.copy()
        kept[:, self._specs[group].row_tiles[0] :] = 0
        return super().multiply(group, kept, start)


class LastVector(NumpyCore):
    """A vector alone is wrong."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        made = super().multiply(group, vectors, start)
        return made + made.dtype.type(1) if len(vectors) == 1 else made


class Saturating(NumpyCore):
    """Integers stop at the limits of results."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        spec = self._specs[group]
        if spec.output.is_float:
            return super().multiply(group, vectors, start)
        limits = np.iinfo(spec.output.numpy)
        made = vectors.astype(np.float64) @ self._matrices[group] + (0 if start is None else start)
        return np.clip(np.rint(made), limits.min, limits.max).astype(spec.output.numpy)


class Rounded(NumpyCore):
    """It multiplies in half precision."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        made = super().multiply(group, vectors, start)
        return made.astype(np.float16).astype(made.dtype) if made.dtype == np.float32 else made


class NoNumbers(NumpyCore):
    """Every result is no number."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        made = super().multiply(group, vectors, start)
        return np.full_like(made, np.nan) if made.dtype.kind == "f" else made


class NeverAgain(NumpyCore):
    """It acquires each place once."""

    def __init__(self, arch: Arch, core: int) -> None:
        super().__init__(arch, core)
        self._places = dict[int, int]()

    def acquire(self, group: int, spec: GroupSpec) -> None:
        super().acquire(group, spec)
        self._places[group] = spec.bank

    def release(self, group: int) -> None:
        for other in [other for other, place in self._places.items() if place >= self._places[group]]:
            self._matrices.get(other, np.zeros(1))[:] = 0
        super().release(group)


class FloatsOnly(NumpyCore):
    """It takes floats: no mistake."""

    def acquire(self, group: int, spec: GroupSpec) -> None:
        if not (spec.weight.is_float and spec.input.is_float):
            raise ValueError("this board holds floats")
        super().acquire(group, spec)


class Nothing(NumpyCore):
    """It takes no type."""

    def acquire(self, group: int, spec: GroupSpec) -> None:
        raise ValueError("not today")
