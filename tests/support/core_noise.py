"""A crossbar whose noise is a pure function of the origin: engines that tell it other origins give other results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from emu.arch import Arch
from emu.core.crossbars.kinds.ideal import IdealCrossbar
from emu.core.crossbars.origin import Origin
from emu.program.group import GroupSpec


def noisy(arch: Arch) -> Arch:
    """The chip with such crossbars, where this module stands for their kind."""
    return replace(arch, crossbar=replace(arch.crossbar, kind="noisy"))


def make(spec: GroupSpec, arch: Arch, stacked: bool) -> NoisyCrossbar:
    """A noisy array group, as the module of a kind makes it."""
    assert arch.crossbar.kind == "noisy"
    return NoisyCrossbar(spec, stacked)


class NoisyCrossbar:
    """The ideal crossbar; small numbers are added to what is written, and to every product."""

    def __init__(self, spec: GroupSpec, stacked: bool = False) -> None:
        self.spec = spec
        self._ideal = IdealCrossbar(spec, stacked)
        self._place = (0, 0)

    def program(self, weights: np.ndarray, core: int, number: int) -> None:
        self._place = core, number
        self._ideal.program(weights, core, number)

    def write(self, row: int, values: np.ndarray, origin: Origin) -> None:
        noisy = values + self._noise(origin).reshape(-1)[-1].astype(values.dtype)
        self._ideal.write(row, noisy, origin)

    def multiply(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool, origin: Origin) -> None:
        total = np.zeros(dst.shape, dst.dtype)
        self._ideal.multiply(total, src, False, False, origin)
        total += self._noise(origin)[..., None].astype(dst.dtype)
        if accumulate:
            total += dst
        dst[...] = np.maximum(total, 0) if relu else total

    def _noise(self, origin: Origin) -> np.ndarray:
        """0 to 6 per vector, [*box] or what broadcasts to it."""
        assert origin.core == self._place[0]
        known = [*self._place, len(origin.section), origin.sample, origin.instruction]
        state = np.zeros((), np.int64)
        for value in (*known, *origin.counters()):
            state = (state * 31 + 7 * value + 3) % 1_000_003
        return state * state % 1_000_003 % 7
