"""The table of import functions: ONNX operator -> function that emits operations for a node and returns its results.

A new operator is one new row in the table of one of these files (or a new file listed here), and an op class in
`compiler/dialects/onnx.py`. Import functions resolve what differs between operator sets and check shapes themselves;
each raises CompileError, by `Node.refuse`, for a node that does not fit or is not supported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.ir import SSAValue

from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope
from compiler.frontend.operators import (
    attention,
    conversion,
    convolution,
    einsum,
    elementwise,
    group_norm,
    indexing,
    layer_norm,
    linear,
    normalization,
    padding,
    pooling,
    quantize_linear,
    reduction,
    resampling,
    rotary_embedding,
    selecting,
    shaping,
    slicing,
    softmax,
)

ImportFunction = Callable[[Node, Scope], SSAValue | tuple[SSAValue, ...]]

OPERATORS: Mapping[str, ImportFunction] = {
    **attention.OPERATORS,
    **conversion.OPERATORS,
    **convolution.OPERATORS,
    **einsum.OPERATORS,
    **elementwise.OPERATORS,
    **group_norm.OPERATORS,
    **indexing.OPERATORS,
    **layer_norm.OPERATORS,
    **linear.OPERATORS,
    **normalization.OPERATORS,
    **padding.OPERATORS,
    **pooling.OPERATORS,
    **quantize_linear.OPERATORS,
    **reduction.OPERATORS,
    **resampling.OPERATORS,
    **rotary_embedding.OPERATORS,
    **selecting.OPERATORS,
    **shaping.OPERATORS,
    **slicing.OPERATORS,
    **softmax.OPERATORS,
}
