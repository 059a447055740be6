"""Sums of floats in their order: a loop that does nothing but add up, in one call that takes its turns inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

import numpy as np

from emu.core.batch.access import Access
from emu.core.batch.views import StepSpec
from emu.core.crossbars.blocks import BLOCK, in_turn
from emu.core.kernels.reductions import in_order
from emu.core.kernels.spec import Call, Kernel
from emu.core.operation import Operation
from emu.isa.dtypes import DType
from emu.room import room

# By kernel: what adds the next one, and which operands may be the sum so far, beside the result.
TURNS = {
    "add": (np.add, (1, 2)),
    "subtract": (np.subtract, (1,)),
    "multiply": (np.multiply, (1, 2)),
    "maximum": (np.maximum, (1,)),
    "minimum": (np.minimum, (1,)),
}
LARGEST_SUM = 1 << 11  # elements: to gather what is added to larger ones costs more than their own calls


def turns_of(op: Operation, step: StepSpec, loop: int, accesses: Sequence[Access | None]) -> Kernel | None:
    """What runs all iterations of `loop` of a step, over its views with that axis, in their order.

    None if it does not only add to a place that stays, or if that is large. `accesses` are those of its operands.
    """
    instr = op.instr
    if instr.spec.kernel not in TURNS or instr.types[0] != DType.f32 or instr.flags or None in accesses:
        return None
    operation, places = TURNS[instr.spec.kernel]
    sum_view, dst = step.views[0], accesses[0]
    moving = [extent for extent, stride in zip(sum_view.shape, sum_view.strides, strict=True) if stride]
    if sum_view.strides[step.path.index(loop)] or not sum_view.strides[-1] or prod(moving) > LARGEST_SUM:
        return None
    for place in places:
        total, other = accesses[place], accesses[3 - place]
        assert dst is not None and total is not None and other is not None
        same = total.address == dst.address and step.views[place].strides == sum_view.strides
        if same and step.expanded[place] == step.expanded[0] and (other.high <= dst.low or dst.high <= other.low):
            return TurnsKernel(operation, 3 - place)
    return None


@dataclass(frozen=True, slots=True)
class TurnsKernel:
    """`operation` of the sum so far, `dst`, and of one element of operand `place` after the other."""

    operation: np.ufunc
    place: int

    def __call__(self, dst: np.ndarray, /, *sources: np.ndarray) -> None:
        """Compute."""
        self.bound(dst, *sources)()

    def bound(self, dst: np.ndarray, /, *sources: np.ndarray) -> Call:
        """The same for these operands, as many elements at a time as stay in cache."""
        axes = [axis for axis in range(dst.ndim - 1) if not dst.strides[axis]]
        target = dst[tuple([0 if axis in axes else slice(None) for axis in range(dst.ndim)])]
        others = np.moveaxis(sources[self.place - 1], axes, range(len(axes)))
        height = max(1, BLOCK // max(1, target.size))
        return in_turn(
            [
                partial(_add_up, self.operation, target, others[index][low : low + height])
                for index in np.ndindex(others.shape[: len(axes) - 1])
                for low in range(0, others.shape[len(axes) - 1], height)
            ]
        )


def _add_up(operation: np.ufunc, target: np.ndarray, others: np.ndarray) -> None:
    """`target` becomes `((target op others 0) op others 1) ...`."""
    rows = room("turns", (len(others) + 1, *target.shape), target.dtype)
    rows[0], rows[1:] = target, others
    target[...] = _reduced(operation, rows)


def _reduced(operation: np.ufunc, rows: np.ndarray) -> np.ndarray:
    """`((row 0 op row 1) op row 2) ...` of dense `rows` [n, *elements]."""
    if rows[0].size == 1:  # NumPy reduces along the fastest axis in another order
        return np.reshape(in_order(operation, rows.reshape(-1), 0), rows.shape[1:])
    return operation.reduce(rows, axis=0, initial=None)
