"""Crossbars of one core: those of constant weights, and a bank of others that are written while the program runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from compiler.basis.weights import WeightStore
from compiler.dialects import spat
from compiler.dialects.names import RESIDENT
from compiler.kernels.kernel import Kernel
from emu.arch import Arch


@dataclass
class CoreLoad:
    """What computes of one core have on crossbars; a logical one of constant weights takes `cells` physical ones.

    The bank begins with those of segments. Products of two results reach up to its crossbar `end`, each for matrices
    of which one takes at most `arrays` physical ones.
    """

    arch: Arch
    cells: int
    held: Counter[int] = field(default_factory=Counter[int])  # logical ones of constant weights, by segment
    end: int = 0
    arrays: int = 0

    def add(self, op: spat.ComputeOp, weights: WeightStore) -> None:
        """With one more compute."""
        self.held[op.stay] += crossbars(op)
        for kernel in kernels_of([op]):
            if kernel.banked:
                self.end = max(self.end, kernel.banked)
                self.arrays = max(self.arrays, self.arch.cells(kernel.weight_type(weights)))

    @property
    def segments(self) -> int:
        """Logical crossbars of the bank that segments take."""
        return max((count for segment, count in self.held.items() if segment != RESIDENT), default=0)

    @property
    def physical(self) -> int:
        """Crossbars of the chip that all of it takes."""
        return self.held[RESIDENT] * self.cells + max(self.segments, self.end) * self._each(self.arrays)

    def room(self, arrays: int) -> int:
        """Logical crossbars of a bank that may also hold matrices of which one takes `arrays` physical ones."""
        return (self.arch.core.crossbars - self.held[RESIDENT] * self.cells) // self._each(arrays)

    def _each(self, arrays: int) -> int:
        """Physical crossbars of a logical one of the bank."""
        return max(self.cells if self.segments else 1, arrays)


def crossbars(op: spat.ComputeOp) -> int:
    """Logical crossbars that hold the constant weights of a compute; kernels of one `unit` share them."""
    kernels = kernels_of([op])
    shared = {kernel.unit: kernel.crossbars for kernel in kernels if kernel.unit is not None}
    return sum(kernel.crossbars for kernel in kernels if kernel.unit is None) + sum(shared.values())


def kernels_of(computes: Iterable[spat.ComputeOp]) -> list[Kernel]:
    """The kernels of computes."""
    return [kernel for op in computes for kernel in op.body.block.ops if isinstance(kernel, Kernel)]
