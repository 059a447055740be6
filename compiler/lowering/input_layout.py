"""How network inputs stand in memory: as the operators that work on them need them."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from compiler.dialects import integer, onnx
from compiler.lowering.activations import ACTIVATIONS
from compiler.lowering.feature_map import Layout, channel_first, channel_last

LayoutOfRank = Callable[[int], Layout | None]
NEEDS: dict[type[Operation], LayoutOfRank] = {
    **dict.fromkeys((onnx.MatMulOp, integer.MatMulOp, onnx.GemmOp, onnx.SoftmaxOp), channel_last),
    **dict.fromkeys((onnx.ConvOp, integer.ConvOp, onnx.ConvTransposeOp), channel_first),
    **dict.fromkeys((onnx.MaxPoolOp, onnx.AveragePoolOp), channel_first),
    **dict.fromkeys((onnx.GlobalAveragePoolOp, onnx.GlobalMaxPoolOp, onnx.ReduceMeanOp, onnx.LRNOp), channel_first),
}
SAME_SHAPE = (*ACTIVATIONS, onnx.AddOp, onnx.SubOp, onnx.MulOp, onnx.DivOp)  # take any layout and keep it


def input_layout(value: SSAValue) -> LayoutOfRank:
    """The layout, by rank, that the first user of `value` with a need for one has; channels first if none has.

    Users that keep the shape have no need: theirs are looked at in their place.
    """
    waiting, seen = [value], {value}
    while waiting:
        for use in waiting.pop(0).uses:
            user = use.operation
            if type(user) in NEEDS:
                return NEEDS[type(user)]
            if isinstance(user, SAME_SHAPE) and user.results[0].type == value.type and user.results[0] not in seen:
                seen.add(user.results[0])
                waiting.append(user.results[0])
    return channel_first
