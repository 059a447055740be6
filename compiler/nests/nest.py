"""A structured nest in the form of `linalg.generic`: iteration space, iterator types, a map per operand, a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from compiler.nests.body import COPY, NestBody
from compiler.nests.functions import COMBINES, SCALAR_FUNCTIONS
from compiler.nests.linear import Map, covers
from emu.isa.dtypes import DType

MAX_DIMENSIONS = 32  # of an iteration space: more than any operator needs


@dataclass(frozen=True, slots=True)
class Nest:
    """For every point of `sizes`, the element `target` of the result takes `body` of the elements `sources`.

    Dimension d is parallel, or a reduction: then the values of its points are combined by `combine`, a row of
    `COMBINES` (empty where all dimensions are parallel). Every element of the result belongs to one parallel point.
    """

    sizes: tuple[int, ...]
    parallel: tuple[bool, ...]
    sources: tuple[Map, ...]
    target: Map
    body: NestBody = COPY
    combine: str = ""

    @property
    def points(self) -> int:
        """Points of the iteration space."""
        return prod(self.sizes)

    @property
    def elementwise(self) -> bool:
        """Whether point and element of the result are one: all parallel, and no index but the counters in order."""
        return all(self.parallel) and [index.only for index in self.target] == list(range(len(self.sizes)))

    def fault(
        self, shapes: Sequence[Sequence[int] | None], types: Sequence[DType], shape: Sequence[int], dtype: DType
    ) -> str:
        """Why it does not make a tensor of `shape` of operands of `shapes`, as the end of a sentence; else empty.

        A shape of None is not known yet: `reach_fault` tells later whether it fits. Of a result without elements no
        point is worked on, so its maps may reach anywhere.
        """
        if len(self.sizes) != len(self.parallel) or len(self.sizes) > MAX_DIMENSIONS or min(self.sizes, default=1) < 1:
            return (
                f"a space {list(self.sizes)} that is none: {MAX_DIMENSIONS} positive sizes at most, one type for each"
            )
        if 0 in shape:  # no point is met
            return self._body_fault(types, dtype)
        if len(self.sources) != len(shapes):
            return f"{len(self.sources)} maps of operands, of which there are {len(shapes)}"
        for indices, sizes in zip((*self.sources, self.target), (*shapes, shape), strict=True):
            if any(not 0 <= dim < len(self.sizes) for index in indices for dim, _ in index.factors):
                return f"a map with more dimensions than the {len(self.sizes)} of the space"
            if sizes is not None and (fault := self.reach_fault(indices, sizes)):
                return fault
        if not covers(self.target, shape, self.sizes, self.parallel):
            return "a result of which the parallel dimensions do not meet each element once"
        return self._body_fault(types, dtype) or self._combine_fault(dtype)

    def reach_fault(self, indices: Map, shape: Sequence[int], begin: Sequence[int] = ()) -> str:
        """Why `indices` are not those of a tensor of `shape` at all points, which begin at the point `begin`."""
        if len(indices) != len(shape):
            return f"a map of {len(indices)} indices to a tensor of {len(shape)} dimensions"
        for place, (index, size) in enumerate(zip(indices, shape, strict=True)):
            first = sum(factor * begin[dim] for dim, factor in index.factors) if begin else 0
            low, high = (bound + first for bound in index.range(self.sizes))
            if low < 0 or high >= size:
                return f"a map that reaches from {low} to {high} in dimension {place}, which has {size}"
        return ""

    def _body_fault(self, types: Sequence[DType], dtype: DType) -> str:
        if fault := self.body.fault(types, len(self.sizes)):
            return fault
        made = self.body.dtype(types)
        return "" if made == dtype else f"a body that makes {made.name}, and a result of {dtype.name}"

    def _combine_fault(self, dtype: DType) -> str:
        if all(self.parallel):
            return "" if not self.combine else f"no reduction for {self.combine} to combine"
        if self.combine not in COMBINES:
            return f"a reduction by '{self.combine}', which does not exist"
        return SCALAR_FUNCTIONS[COMBINES[self.combine].function].fault([dtype, dtype], dtype)
