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
    features,
    group_norm,
    indexing,
    layer_norm,
    linear,
    linear_models,
    linear_quantisation,
    normalization,
    padding,
    pooling,
    quantised,
    quantised_elements,
    quantised_products,
    recurrent,
    reduction,
    resampling,
    rotary_embedding,
    scanning,
    selecting,
    shaping,
    slicing,
    softmax,
)

ImportFunction = Callable[[Node, Scope], SSAValue | tuple[SSAValue | None, ...]]

# Of the domain com.microsoft: what onnxruntime's quantiser writes.
MICROSOFT: Mapping[str, ImportFunction] = {**quantised_elements.OPERATORS, **quantised_products.OPERATORS}

# Of the domain ai.onnx.ml: what scikit-learn's converter writes.
ML: Mapping[str, ImportFunction] = {**features.OPERATORS, **linear_models.OPERATORS}

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
    **linear_quantisation.OPERATORS,
    **normalization.OPERATORS,
    **padding.OPERATORS,
    **pooling.OPERATORS,
    **MICROSOFT,
    **ML,
    **quantised.OPERATORS,
    **recurrent.OPERATORS,
    **reduction.OPERATORS,
    **resampling.OPERATORS,
    **rotary_embedding.OPERATORS,
    **scanning.OPERATORS,
    **selecting.OPERATORS,
    **shaping.OPERATORS,
    **slicing.OPERATORS,
    **softmax.OPERATORS,
}
