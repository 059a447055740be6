"""The analog crossbar: products of cells, wires and converters, as the chip's description says."""

from __future__ import annotations

import numpy as np

from emu.analog.counts import new_counts
from emu.arch import Arch
from emu.core.crossbars.kinds.ideal import IdealCrossbar
from emu.core.crossbars.origin import Origin
from emu.program.group import GroupSpec


def make(spec: GroupSpec, arch: Arch, stacked: bool) -> AnalogCrossbar:
    """An array group of cells of this chip."""
    return AnalogCrossbar(spec, arch)


class AnalogCrossbar:
    """Ideal so far."""

    def __init__(self, spec: GroupSpec, arch: Arch) -> None:
        self.spec, self.arch = spec, arch
        self.counts = new_counts()
        self._ideal = IdealCrossbar(spec)

    def program(self, weights: np.ndarray, core: int, number: int) -> None:
        """Hold `weights` [rows, padded columns]."""
        self._ideal.program(weights, core, number)

    def content(self) -> np.ndarray:
        """The weights that it was given [rows, cols]."""
        return self._ideal.content()

    def write(self, row: int, values: np.ndarray, origin: Origin) -> None:
        """Replace weight rows."""
        self._ideal.write(row, values, origin)

    def multiply(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool, origin: Origin) -> None:
        """The product."""
        self._ideal.multiply(dst, src, accumulate, relu, origin)
