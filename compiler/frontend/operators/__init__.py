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
    conversion,
    convolution,
    elementwise,
    linear,
    normalization,
    padding,
    pooling,
    reduction,
    resampling,
    scanning,
    selecting,
    shaping,
    slicing,
    taking,
)

ImportFunction = Callable[[Node, Scope], SSAValue | tuple[SSAValue, ...]]

OPERATORS: Mapping[str, ImportFunction] = {
    **conversion.OPERATORS,
    **convolution.OPERATORS,
    **elementwise.OPERATORS,
    **linear.OPERATORS,
    **normalization.OPERATORS,
    **padding.OPERATORS,
    **pooling.OPERATORS,
    **reduction.OPERATORS,
    **resampling.OPERATORS,
    **scanning.OPERATORS,
    **selecting.OPERATORS,
    **shaping.OPERATORS,
    **slicing.OPERATORS,
    **taking.OPERATORS,
}
