"""Which nodes are evaluated at compile time: those of which all inputs are constant, and that tell what that takes."""

from __future__ import annotations

from collections.abc import Container

from onnx import AttributeProto, NodeProto

from compiler.frontend.definitions import STANDARD_DOMAINS

SHAPE_OPERATORS = ("Shape", "Size")  # constant for static shapes, whatever their input
NOT_FOLDABLE = (
    *("RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli"),
    # Shapes do not tell the work of these, or the length of their texts; nobody computes weights or shapes by them.
    *("Attention", "AveragePool", "Col2Im", "ConvInteger", "ConvTranspose", "DFT", "DeformConv", "Det", "Einsum"),
    *("GRU", "GlobalLpPool", "GridSample", "ImageDecoder", "LRN", "LSTM", "LpPool", "MatMulInteger", "MaxPool"),
    *("MaxRoiPool", "MaxUnpool", "NonMaxSuppression", "QLinearConv", "QLinearMatMul", "RNN", "RegexFullMatch"),
    *("RoiAlign", "STFT", "StringConcat", "StringNormalizer", "StringSplit", "TfIdfVectorizer"),
)
GRAPH_ATTRIBUTES = (AttributeProto.GRAPH, AttributeProto.GRAPHS)


def is_foldable(node: NodeProto, constants: Container[str]) -> bool:
    """Whether the outputs of `node` are constant, given the names of constant values."""
    if node.domain not in STANDARD_DOMAINS or node.op_type in NOT_FOLDABLE:
        return False
    if any(attribute.type in GRAPH_ATTRIBUTES for attribute in node.attribute):
        return False
    return node.op_type in SHAPE_OPERATORS or all(name in constants for name in node.input if name)
