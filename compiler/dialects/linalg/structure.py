"""What all structured operations have in common: loops, a map for each operand, a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap


@dataclass(frozen=True, slots=True)
class Structure:
    """For each point of the loops, `block` takes the elements that `maps` tell to new elements of the results."""

    inputs: tuple[SSAValue, ...]
    outputs: tuple[SSAValue, ...]
    maps: tuple[AffineMap, ...]  # of inputs, then of outputs
    parallel: tuple[bool, ...]
    block: Block

    @staticmethod
    def of(op: LinalgStructuredOperation) -> Structure:
        """That of an operation."""
        return Structure(
            tuple(op.inputs),
            tuple(op.outputs),
            tuple(each.data for each in op.get_indexing_maps()),
            tuple(kind == IteratorTypeAttr.parallel() for kind in op.get_iterator_types()),
            op.body.block,
        )

    @property
    def accumulators(self) -> tuple[BlockArgument, ...]:
        """The elements of the results as they are before."""
        return tuple(self.block.args)[len(self.inputs) :]

    def sizes(self, shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
        """The sizes of the loops for operands of these shapes; raises ValueError where they do not fit together."""
        found = dict[int, int]()
        for given, shape in zip(self.maps, shapes, strict=True):
            if len(given.results) != len(shape):
                raise ValueError(f"has an operand of {len(shape)} dimensions with a map of {len(given.results)}")
            for result, size in zip(given.results, shape, strict=True):
                if isinstance(result, AffineDimExpr) and found.setdefault(result.position, size) != size:
                    raise ValueError(f"has operands that are {found[result.position]} and {size} along one loop")
        missing = [dim for dim in range(len(self.parallel)) if dim not in found]
        if missing:
            raise ValueError(f"has a loop d{missing[0]} of unknown size: no operand has it as a dimension")
        sizes = tuple(found[dim] for dim in range(len(self.parallel)))
        if all(sizes):
            self._check_reach(sizes, shapes)
        return sizes

    def _check_reach(self, sizes: tuple[int, ...], shapes: Sequence[Sequence[int]]) -> None:
        ends = [size - 1 for size in sizes]
        for given, shape in zip(self.maps, shapes, strict=True):
            lows, highs = given.eval([0] * len(sizes), []), given.eval(ends, [])
            for low, high, size in zip(lows, highs, shape, strict=True):
                if min(low, high) < 0 or max(low, high) >= size:
                    raise ValueError(f"has a map that reaches from {min(low, high)} to {max(low, high)} of {size}")
