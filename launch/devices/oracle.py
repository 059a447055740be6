"""Products in plain NumPy, independent of the emulated crossbars: the reference for other back ends."""

from __future__ import annotations

import numpy as np

from emu.arch import Arch
from emu.program.group import GroupSpec


class NumpyCore:
    """Matrices by number of their group: integers exact modulo 2^64, floats in f64 and rounded once."""

    def __init__(self, arch: Arch, core: int) -> None:
        self._matrices = dict[int, np.ndarray]()
        self._specs = dict[int, GroupSpec]()

    def acquire(self, group: int, spec: GroupSpec) -> None:
        """A matrix of zeros."""
        self._specs[group], self._matrices[group] = spec, np.zeros((spec.rows, spec.cols), spec.weight.numpy)

    def write(self, group: int, row: int, values: np.ndarray) -> None:
        """Replace rows."""
        self._matrices[group][row : row + len(values)] = values

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        """The product [m, cols]."""
        spec, matrix = self._specs[group], self._matrices[group]
        wide = np.float64 if spec.output.is_float else np.int64
        with np.errstate(all="ignore"):
            made = vectors.astype(wide) @ matrix.astype(wide)
            return (made if start is None else made + start.astype(wide)).astype(spec.output.numpy)

    def release(self, group: int) -> None:
        """Forget the matrix."""
        del self._matrices[group], self._specs[group]
