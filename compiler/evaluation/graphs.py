"""Edits of ONNX graphs that ask for other tensors or shapes; walks over all nodes."""

# Imports nothing of this project: it is also loaded by path, in the process that computes golden values.
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Shapes = Mapping[str, tuple[int, ...]]  # of the inputs, as compiled


def put(field: Any, messages: Iterable[Any]) -> None:
    """Let a repeated `field` hold copies of `messages`: those that stand in it are lost with it."""
    copies = [type(message).FromString(message.SerializeToString()) for message in messages]
    del field[:]
    field.extend(copies)


def with_outputs(model: Any, tensors: Sequence[str]) -> Any:
    """The model with `tensors` added to its outputs."""
    import onnx

    known = {output.name for output in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in tensors if name not in known)
    return model


def without_dead_nodes(model: Any, tensors: Sequence[str]) -> bool:
    """Remove the nodes that `tensors` do not depend on: they may be of any size, and nobody has checked them.

    Returns whether there were any.
    """
    needed, live = set(tensors), []
    for node in reversed(model.graph.node):
        if needed.intersection(node.output):
            live.append(node)
            for inner in all_nodes([node]):  # sub-graphs see the names around them
                needed.update(inner.input)
    if len(live) == len(model.graph.node):
        return False
    put(model.graph.node, reversed(live))
    put(model.graph.output, [output for output in model.graph.output if output.name in tensors])
    return True


def with_shapes(model: Any, shapes: Shapes) -> Any:
    """The model with its inputs fixed to `shapes`; what it says about other shapes may no longer be true and goes."""
    import onnx

    for value in model.graph.input:
        if value.name in shapes:
            dims = [onnx.TensorShapeProto.Dimension(dim_value=size) for size in shapes[value.name]]
            value.type.tensor_type.shape.CopyFrom(onnx.TensorShapeProto(dim=dims))
    del model.graph.value_info[:]
    for output in model.graph.output:
        if output.type.HasField("tensor_type"):  # a type that is touched is there, with no element type
            output.type.tensor_type.ClearField("shape")
    return model


def nodes(model: Any) -> list[Any]:
    """All nodes, those of functions and sub-graphs included."""
    return all_nodes([*model.graph.node, *(node for function in model.functions for node in function.node)])


def all_nodes(nodes: Sequence[Any]) -> list[Any]:
    """The nodes and those of the graphs in their attributes."""
    pending, visited = list(nodes), []
    while pending:
        node = pending.pop()
        visited.append(node)
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                pending.extend(graph.node)
    return visited
