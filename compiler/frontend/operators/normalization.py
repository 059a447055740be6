"""Imports BatchNormalization and LRN."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from compiler.dialects.onnx import BatchNormalizationOp, LRNOp, ReshapeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.nests.expression import Value, call, cast
from emu.isa.dtypes import FLOATS, DType

_LRN_SPARE = 128  # channels that an LRN may reach beyond its image: evaluators take memory for them


def batch_normalization(node: Node, scope: Scope) -> SSAValue:
    """Inference, x [N,C,...] with statistics [C]."""
    x = scope.value(node)
    shape = shape_of(x)
    if node.integer("training_mode", 0) or (len(node.outputs) > 1 and any(node.outputs[1:])):
        node.refuse("is in training mode: export the model for inference (model.eval())")
    if not node.integer("spatial", 1):
        node.refuse("normalises each pixel by itself (spatial = 0), which is not supported")
    for index, role in enumerate(("scale", "bias", "mean", "variance"), 1):
        if len(shape) < 2 or scope.shape(node.inputs[index]) != (shape[1],):
            node.refuse(f"has a {role} that is not one number per channel of its input {list(shape)}")
    operands, epsilon = [scope.value(node, index) for index in range(5)], node.real("epsilon", 1e-5)
    constant = all(name in scope.constants for name in node.inputs[1:5])
    if constant and {dtype_of(value) for value in operands} == {DType.f32}:
        return scope.emit(BatchNormalizationOp, node, operands, shape, {"epsilon": epsilon})
    return _normalised(node, scope, operands, epsilon)


def _normalised(node: Node, scope: Scope, operands: Sequence[SSAValue], epsilon: float) -> SSAValue:
    """Statistics that are known at run time only, or other types than float32, which are computed in it."""
    dtype = dtype_of(operands[0])
    if any(dtype_of(value) not in FLOATS for value in operands):
        node.refuse("normalises what are no floating-point numbers")
    wide = [*shape_of(operands[0])[1:2], *(1,) * (len(shape_of(operands[0])) - 2)]
    columns = [
        scope.emit(ReshapeOp, node, [value], wide, part=f"operand{place}")
        for place, value in enumerate(operands[1:], start=1)
    ]

    def write(x: Value, *statistics: Value) -> Value:
        scale, bias, mean, variance = (cast(value, DType.f32) for value in statistics)
        return cast((cast(x, DType.f32) - mean) / call("sqrt", variance + epsilon) * scale + bias, dtype)

    return elementwise(node, scope, [operands[0], *columns], write)


def lrn(node: Node, scope: Scope) -> SSAValue:
    """Local response normalisation across the channels of samples [N,C,...]."""
    x = scope.value(node)
    scales = {"alpha": node.real("alpha", 1e-4), "beta": node.real("beta", 0.75), "bias": node.real("bias", 1.0)}
    size = node.integer("size", 0)
    if size < 1 or len(shape_of(x)) < 2:
        node.refuse(f"has size {size} and an input of shape {list(shape_of(x))}; channels and size >= 1 are needed")
    if size > 2 * shape_of(x)[1] + _LRN_SPARE:
        node.refuse(f"has size {size}, far more than its {shape_of(x)[1]} channels can fill")
    return scope.emit(LRNOp, node, [x], shape_of(x), {"size": size, **scales})


OPERATORS = {"BatchNormalization": batch_normalization, "LRN": lrn}
