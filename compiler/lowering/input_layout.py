"""How network inputs stand in memory: as the operators that work on them need them."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from compiler.dialects import onnx
from compiler.lowering.activations import ACTIVATIONS
from compiler.lowering.feature_map import Layout, channel_first, channel_last

Form = Callable[[int], Layout | None]  # from a rank
NEEDS: dict[type[Operation], Form] = {
    **dict.fromkeys((onnx.MatMulOp, onnx.GemmOp, onnx.SoftmaxOp), channel_last),
    **dict.fromkeys((onnx.ConvOp, onnx.MaxPoolOp, onnx.AveragePoolOp), channel_first),
    **dict.fromkeys((onnx.GlobalAveragePoolOp, onnx.ReduceMeanOp, onnx.LRNOp), channel_first),
}
SAME_SHAPE = (*ACTIVATIONS, onnx.AddOp, onnx.SubOp, onnx.MulOp, onnx.DivOp)  # take any layout and keep it


def input_layout(value: SSAValue) -> Form:
    """The layout that the first operator with a need for one has, looking through those that keep the shape."""
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
