"""Integer additions to an accumulator: they wrap, so they may be reordered, and a whole loop becomes one sum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emu.core.batch.access import Access
from emu.core.batch.dependence import NONE, Relation, relation
from emu.core.batch.nest import LoopNest, NestStatement
from emu.core.kernels.spec import Kernel

SUMS = {"add": np.add, "subtract": np.subtract}  # by kernel


class Sums:
    """The dependences of a nest, in which the accumulations of integer sums do not depend on each other."""

    def __init__(self, nest: LoopNest, accesses: Sequence[Access]) -> None:
        self._trips = nest.trips
        self._accumulators: dict[int, set[int]] = {}  # by position: operands that are the accumulator
        self._reduced: dict[int, tuple[int, ...]] = {}  # trips with the reduced loops as if they ran once
        by_operand = {(access.position, access.operand): access for access in accesses}
        for statement in nest.statements:
            if statement.op.instr.spec.kernel in SUMS and is_wrapping(statement):
                own = [by_operand.get((statement.position, k)) for k in range(3)]
                self._take(statement.position, own)

    def _take(self, position: int, own: Sequence[Access | None]) -> None:
        dst, acc, other = own
        if dst is None or acc is None or other is None:
            return
        reduced = [loop for loop, stride in zip(dst.shape.path, dst.shape.strides, strict=True) if not stride]
        same = (dst.address, dst.shape.strides) == (acc.address, acc.shape.strides)
        if same and any(self._trips[loop] > 1 for loop in reduced):
            self._accumulators[position] = {0, 1}
            self._reduced[position] = tuple([1 if k in reduced else n for k, n in enumerate(self._trips)])

    def kernel(self, statement: NestStatement) -> Kernel | None:
        """A kernel over views [*trips, elements] that does `statement` as one sum, if it is one; else None."""
        return _accumulation(SUMS[statement.op.instr.spec.kernel]) if statement.position in self._accumulators else None

    def relation(self, first: Access, second: Access, iterated: tuple[int, ...] = ()) -> Relation:
        """As `dependence.relation`."""
        accumulators = self._accumulators.get(first.position)
        own = accumulators and first.position == second.position and {first.operand, second.operand} <= accumulators
        if own and not relation(first, second, self._reduced[first.position]).carried:
            return NONE
        return relation(first, second, self._trips, iterated)


def is_wrapping(statement: NestStatement) -> bool:
    """Whether the statement is integer arithmetic that wraps, element by element."""
    instr = statement.op.instr
    return not instr.types[0].is_float and not instr.flags and all(slot.steps[-1] for slot in statement.op.slots)


def _accumulation(operation: np.ufunc) -> Kernel:
    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        axes = tuple([k for k in range(dst.ndim - 1) if dst.strides[k] == 0 and dst.shape[k] > 1])
        if not axes:
            operation(*sources, out=dst)
            return
        place = tuple([0 if k in axes else slice(None) for k in range(dst.ndim)])
        total = np.add.reduce(sources[1], axis=axes, dtype=dst.dtype)
        target = dst[place]
        operation(target, total, out=target)

    return kernel
