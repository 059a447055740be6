"""Structured nests written back as ONNX: a Gather per operand, one node per step, a Reduce, and a Gather in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

import numpy as np
from onnx import NodeProto, helper

from compiler.dialects.types import dtype_of
from compiler.nests.linear import Map

STEPS = {
    **{
        name: name.capitalize() for name in ("add", "sub", "mul", "div", "max", "min", "pow", "relu", "tanh", "sigmoid")
    },
    **{
        name: name.capitalize()
        for name in ("exp", "log", "sqrt", "abs", "neg", "erf", "floor", "ceil", "round", "sign")
    },
    **{
        arc + name: (arc + name).capitalize()
        for arc in ("", "a")
        for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
    },
    **{"bit_and": "And", "bit_or": "Or", "bit_xor": "Xor", "complement": "Not", "select": "Where", "mod": "Mod"},
    **{"eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"},
}
REDUCES = {"add": "ReduceSum", "mul": "ReduceProd", "max": "ReduceMax", "min": "ReduceMin"}


def nest_nodes(op, inputs: Sequence[str], output: str, constant: Callable[[np.ndarray, str], str]) -> list[NodeProto]:
    """The nodes that make `output` of `inputs` as a nest.generic does; `constant` adds an array to the graph."""
    nest, nodes, serial = op.nest, list[NodeProto](), count()

    def node(kind: str, operands: Sequence[str], result: str = "", **attributes: object) -> str:
        result = result or f"{output}_{next(serial)}"
        nodes.append(helper.make_node(kind, operands, [result], **attributes))
        return result

    def array(values: np.ndarray) -> str:
        return constant(values, f"{output}_c{next(serial)}")

    if 0 in op.shape:
        constant(np.zeros(op.shape, dtype_of(op.result).numpy), output)
        return []
    types = nest.body.types([dtype_of(value) for value in op.inputs])
    names = []
    for name, value, indices in zip(inputs, op.inputs, nest.sources, strict=True):
        flat = node("Reshape", [name, array(np.array([-1], np.int64))])
        names.append(node("Gather", [flat, array(positions(indices, value.type.get_shape(), nest.sizes))]))
    for step in nest.body.steps:
        operands = [names[arg] for arg in step.args]
        if step.fn == "constant":
            names.append(array(np.array(step.number).astype(step.dtype.numpy)))
        elif step.fn == "index":
            names.append(array(np.indices(nest.sizes)[step.number].astype(step.dtype.numpy)))
        elif step.fn == "cast":
            if types[step.args[0]].is_float and not step.dtype.is_float:
                operands = [node("Round", operands)]
            names.append(node("Cast", operands, to=helper.np_dtype_to_tensor_dtype(step.dtype.numpy)))
        elif step.fn == "ne":
            names.append(node("Not", [node("Equal", operands)]))
        elif step.fn == "rem":
            names.append(node("Mod", operands, fmod=1))
        else:
            names.append(node(STEPS[step.fn], operands))
    parallel = [dim for dim, kind in enumerate(nest.parallel) if kind]
    last = node("Expand", [names[-1], array(np.array(nest.sizes, np.int64))]) if nest.sizes else names[-1]
    if nest.combine:
        axes = array(np.array([dim for dim in range(len(nest.sizes)) if dim not in parallel], np.int64))
        last = node(REDUCES[nest.combine], [last, axes], keepdims=1)
    target = positions(
        nest.target, op.shape, [size if k else 1 for size, k in zip(nest.sizes, nest.parallel, strict=True)]
    )
    order = np.argsort(target.reshape(-1))
    flat = node("Gather", [node("Reshape", [last, array(np.array([-1], np.int64))]), array(order)])
    node("Reshape", [flat, array(np.array(op.shape, np.int64))], output)
    return nodes


def positions(indices: Map, shape: Sequence[int], sizes: Sequence[int]) -> np.ndarray:
    """The position in a dense tensor of `shape` that each point of a space has."""
    points = np.indices(sizes)
    position = np.zeros(sizes, np.int64)
    for place, index in enumerate(indices):
        value = index.constant + sum(factor * points[dim] for dim, factor in index.factors)
        position = position + value * int(np.prod(shape[place + 1 :], dtype=np.int64))
    return position
