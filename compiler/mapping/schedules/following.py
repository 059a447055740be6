"""Bands of tensors: layers that are cut, layers before them that lead, and layers behind them that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from xdsl.ir import Block, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.types import dtype_of
from compiler.mapping.cutting.boxed import operands_of
from compiler.mapping.schedules.bands import Range, cut_input, cut_layer
from compiler.mapping.tiling.spread import even_ranges


@dataclass(frozen=True, slots=True)
class Banded:
    """A tensor whose `bands` along `axis` are made by a layer each; `axis` counts from the channels: -2, -3, ..."""

    axis: int
    bands: tuple[Range, ...]

    @property
    def size(self) -> int:
        """Places along the axis."""
        return self.bands[-1][1]

    def scaled(self, size: int) -> tuple[Range, ...]:
        """The bands of a tensor with `size` places along the axis that lie where these lie."""
        bounds = {(2 * high * size + self.size) // (2 * self.size) for _, high in self.bands}
        return tuple(pairwise(sorted(bounds | {0, size})))

    def of(self, shape: Sequence[int]) -> Banded | None:
        """A tensor of `shape` cut where this one is; None if it has no such axis."""
        return Banded(self.axis, self.scaled(shape[self.axis])) if len(shape) + self.axis >= 0 else None


def banded(shape: Sequence[int], copies: int, along: str) -> Banded:
    """A tensor cut into `copies` even bands, or into as many as it can be, along one axis with so many places.

    That is the first such axis in memory for bands of "rows", the last one for "columns".
    """
    most = min(copies, longest(shape))
    axes = [axis for axis, size in enumerate(shape[:-1]) if size >= most]
    axis = axes[0] if along == ROWS else axes[-1]
    return Banded(axis - len(shape), tuple(even_ranges(shape[axis], most)))


ROWS, COLUMNS = ALONG = "rows", "columns"


class Bands:
    """Replaces layers of a module by one layer per band of their result, and a join of these, which moves nothing."""

    def __init__(self) -> None:
        self._banded: dict[SSAValue, Banded] = {}

    def cut(self, op: spat.LayerOp | spat.InputOp, banded: Banded) -> None:
        """Cut a layer into bands of its result, or an input into the boxes of bands."""
        self._replace(op, banded)

    def follow(self, layer: spat.LayerOp) -> None:
        """Cut a layer as an operand of it is cut, if it takes bands of that; else it takes the whole."""
        shape = attr.shape_of(layer.outputs[0])
        leaders = [self._banded[value] for value in layer.tiles if value in self._banded]
        leaders = [banded for banded in leaders if len(shape) + banded.axis >= 0]
        if len(layer.outputs) == 1 and leaders:
            leader = max(leaders, key=lambda banded: (banded.size == shape[banded.axis], len(banded.bands)))
            self._replace(layer, Banded(leader.axis, leader.scaled(shape[leader.axis])), following=True)

    def join(self, join: spat.JoinOp) -> None:
        """A tensor whose channels are those of others is cut as the one with the most bands."""
        parts = [self._banded[part] for part in join.parts if part in self._banded]
        if parts and join.axis is None:
            self._banded[join.whole] = max(parts, key=lambda banded: len(banded.bands))

    def _replace(self, op: spat.LayerOp | spat.InputOp, banded: Banded, *, following: bool = False) -> None:
        (whole,), made = op.results, Block()
        axis = len(attr.shape_of(whole)) + banded.axis
        if len(banded.bands) < 2:
            return
        if isinstance(op, spat.LayerOp):
            values = cut_layer(op, axis, banded.bands, made)
        else:
            values = cut_input(op, axis, banded.bands, made)
        if values is None or (following and not any(map(self._follows, made.ops))):
            made.erase(safe_erase=False)
            return
        join = spat.JoinOp.create(
            operands=values,
            result_types=[attr.tile_type(attr.shape_of(whole), dtype_of(whole))],
            properties={"axis": attr.integer(axis)},
        )
        made.add_op(join)
        block = op.parent
        assert block is not None
        for part in list(made.ops):
            part.detach()
            block.insert_op_before(part, op)
        whole.replace_all_uses_with(join.whole)
        op.detach()
        op.erase()
        self._banded[join.whole] = banded

    def _follows(self, layer: object) -> bool:
        """Whether a band takes a part of a tensor that is cut."""
        assert isinstance(layer, spat.LayerOp)
        return any(operand.source in self._banded and not operand.whole for operand in operands_of(layer).values())


def longest(shape: Sequence[int]) -> int:
    """The most bands that a tensor can be cut into: places along its longest axis but the channels."""
    return max(shape[:-1])
