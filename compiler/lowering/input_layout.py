"""How network inputs stand in memory: as the operators that work on them need them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from xdsl.ir import Operation, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import integer, onnx
from compiler.dialects.nest_forms import nest_form
from compiler.lowering.feature_map import Layout, channel_first, channel_last
from compiler.nests.linear import broadcast_map

LayoutOfRank = Callable[[int], Layout | None]
_SLIDING = (onnx.ConvOp, onnx.ConvTransposeOp, integer.ConvOp, onnx.MaxPoolOp, onnx.AveragePoolOp)
NEEDS: dict[type[Operation], LayoutOfRank] = {
    **dict.fromkeys((onnx.MatMulOp, integer.MatMulOp, onnx.GemmOp, onnx.SoftmaxOp, onnx.RecurrentOp), channel_last),
    **dict.fromkeys(_SLIDING, channel_first),
    **dict.fromkeys((onnx.GlobalAveragePoolOp, onnx.GlobalMaxPoolOp, onnx.ReduceMeanOp, onnx.LRNOp), channel_first),
}


def input_layout(value: SSAValue) -> LayoutOfRank:
    """The layout, by rank, that the first user of `value` with a need for one has; channels first if none has.

    Users that keep the shape have no need: theirs are looked at in their place; so are those behind a transposition.
    """
    return _need(value) or channel_first


def _need(value: SSAValue) -> LayoutOfRank | None:
    waiting, seen = [value], {value}
    while waiting:
        for use in waiting.pop(0).uses:
            user = use.operation
            if type(user) in NEEDS:
                return NEEDS[type(user)]
            if isinstance(user, onnx.TransposeOp) and (need := _need(user.result)) is not None:
                return partial(_untransposed, need, attr.values(user.perm))
            if user.results and user.results[0] not in seen and _keeps(user, value):
                seen.add(user.results[0])
                waiting.append(user.results[0])
    return None


def _keeps(user: Operation, value: SSAValue) -> bool:
    """Whether it takes `value` in any layout, element by element, and gives its result the same."""
    nest = nest_form(user)
    if nest is None or not nest.elementwise or attr.shape_of(user.results[0]) != attr.shape_of(value):
        return False
    maps = [indices for indices, other in zip(nest.sources, user.operands, strict=True) if other is value]
    return any(broadcast_map(attr.shape_of(value), len(nest.sizes)) == indices for indices in maps)


def _untransposed(need: LayoutOfRank, perm: tuple[int, ...], rank: int) -> Layout | None:
    """The layout of an operand whose transposition has the layout that is needed."""
    layout = need(rank)
    return None if layout is None else tuple(layout[perm.index(axis)] for axis in range(rank))
