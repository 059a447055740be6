"""Imports BatchNormalization and LRN."""

from __future__ import annotations

from xdsl.ir import SSAValue

from compiler.dialects.onnx import BatchNormalizationOp, LRNOp
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of

_LRN_SPARE = 128  # channels that an LRN may reach beyond its image: evaluators take memory for them


def batch_normalization(node: Node, scope: Scope) -> SSAValue:
    """Inference, x [N,C,...] with constant statistics [C]."""
    x = scope.value(node)
    shape = shape_of(x)
    if node.integer("training_mode", 0) or (len(node.outputs) > 1 and any(node.outputs[1:])):
        node.refuse("is in training mode: export the model for inference (model.eval())")
    if not node.integer("spatial", 1):
        node.refuse("normalises each pixel by itself (spatial = 0), which is not supported")
    for index, role in enumerate(("scale", "bias", "mean", "variance"), 1):
        if len(shape) < 2 or scope.constant(node, index, role).shape != (shape[1],):
            node.refuse(f"has a {role} that is not one number per channel of its input {list(shape)}")
    operands = [scope.value(node, index) for index in range(5)]
    return scope.emit(BatchNormalizationOp, node, operands, shape, {"epsilon": node.real("epsilon", 1e-5)})


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
