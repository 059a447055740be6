"""Multiplications of an ONNX model's products, counted from the shapes that ONNX infers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from onnx import ModelProto, NodeProto, shape_inference

Shapes = Mapping[str, tuple[int, ...]]


def _convolution(node: NodeProto, shapes: Shapes) -> int:
    return prod(shapes[node.output[0]]) * prod(shapes[node.input[1]][1:])


def _transposed(node: NodeProto, shapes: Shapes) -> int:
    return prod(shapes[node.input[0]]) * prod(shapes[node.input[1]][1:])


def _product(node: NodeProto, shapes: Shapes) -> int:
    return prod(shapes[node.output[0]]) * shapes[node.input[0]][-1]


def _gemm(node: NodeProto, shapes: Shapes) -> int:
    turned = any(attribute.name == "transA" and attribute.i for attribute in node.attribute)
    return prod(shapes[node.output[0]]) * shapes[node.input[0]][0 if turned else 1]


def _recurrent(node: NodeProto, shapes: Shapes) -> int:
    steps, batch, _ = shapes[node.input[0]]
    return steps * batch * (prod(shapes[node.input[1]]) + prod(shapes[node.input[2]]))


def _einsum(node: NodeProto, shapes: Shapes) -> int:
    (equation,) = (attribute.s.decode() for attribute in node.attribute if attribute.name == "equation")
    terms = equation.partition("->")[0].replace(" ", "").split(",")
    sizes = {
        letter: size
        for term, name in zip(terms, node.input, strict=True)
        for letter, size in zip(term, shapes[name], strict=True)
    }
    return prod(sizes.values())


COUNT: Mapping[str, Callable[[NodeProto, Shapes], int]] = {
    "Conv": _convolution,
    "ConvTranspose": _transposed,
    "MatMul": _product,
    "Gemm": _gemm,
    "LSTM": _recurrent,
    "GRU": _recurrent,
    "Einsum": _einsum,
}


def macs_by_node(model: ModelProto) -> dict[str, int]:
    """Node name -> multiplications of each node that is a product."""
    inferred = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph
    shapes = {
        value.name: tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
        for value in (*inferred.input, *inferred.value_info, *inferred.output)
    }
    shapes |= {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer}
    return {node.name: COUNT[node.op_type](node, shapes) for node in model.graph.node if node.op_type in COUNT}
