"""Which outputs of a network depend on a value that is there at run time only."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from onnx import GraphProto, NodeProto

from launch.conformance.frozen import graph_inputs

# Their results depend on the shape of their inputs, which is known, and on no value.
VALUELESS = frozenset(("EyeLike", "RandomNormalLike", "RandomUniformLike", "Shape", "Size"))


def constant_outputs(graph: GraphProto, frozen: Collection[str] = ()) -> tuple[str, ...]:
    """The outputs of `graph` that depend on no value of an input, those of the names in `frozen` aside."""
    moving = {name for name in graph_inputs(graph) if name not in frozen}
    for node in graph.node:
        if node.op_type not in VALUELESS and not moving.isdisjoint(_used(node)):
            moving.update(filter(None, node.output))
    return tuple(value.name for value in graph.output if value.name not in moving)


def _used(node: NodeProto) -> Iterator[str]:
    """The names that a node, and the graphs in its attributes, refer to."""
    yield from filter(None, node.input)
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                yield from _used(inner)
            yield from (value.name for value in graph.output)
