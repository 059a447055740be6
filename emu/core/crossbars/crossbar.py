"""Array groups at run time: their interface to the engines, and who makes those of a chip."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

import numpy as np

from emu.arch import Arch
from emu.core.crossbars.origin import Origin
from emu.program.group import GroupSpec

HEIGHT = 1008  # input vectors per GEMM: 504 KiB of 128 f32 inputs; whole lines of many images, and whole dozens
F32, F64, I32, I64 = (np.dtype(kind) for kind in (np.float32, np.float64, np.int32, np.int64))
USUAL = "ideal"  # the kind of a chip whose description names none


class Crossbar(Protocol):
    """One array group of a core.

    `write` and `multiply` get the origin of what they are given: whatever a crossbar adds to the ideal result (noise)
    must depend on nothing else, so that all engines agree. A kind may have a method `bound` that takes what `multiply`
    takes and gives a call that does it, again and again: what depends on the places of the vectors is settled there.
    """

    spec: GroupSpec

    def program(self, weights: np.ndarray, core: int, number: int) -> None:
        """At power-on: hold `weights` [rows, padded columns] as group `number` of core `core`.

        Columns beyond `cols` are zero. The array may be read-only, and is never written to.
        """
        ...

    def content(self) -> np.ndarray:
        """The weights that it holds now [rows, cols], in the type of weights; not to be written to."""
        ...

    def write(self, row: int, values: np.ndarray, origin: Origin) -> None:
        """Replace the weight rows from `row` on by `values` [rows, cols]."""
        ...

    def multiply(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool, origin: Origin) -> None:
        """dst [*box, cols] = (dst +) src [*box, rows] x weights; then, with `relu`, what is negative becomes 0."""
        ...


def make_crossbar(spec: GroupSpec, arch: Arch, stacked: bool = False) -> Crossbar:
    """An array group, of the kind that the chip has; `stacked`: for an engine that stacks row tiles."""
    return import_module(f"emu.core.crossbars.kinds.{arch.crossbar.kind or USUAL}").make(spec, arch, stacked)
