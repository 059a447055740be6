"""Nodes that stand for one node: of a definition, a branch, a turn of a loop; with names that are free around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, helper

Namer = Callable[[str], str]  # a name that is free, like the one that is given


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """`inputs` and `outputs` say what names of the nodes are called around the node that they stand for.

    An output is a value of the nodes, an input, or a value of what is around them; other values of the nodes are their
    own.
    """

    nodes: Sequence[NodeProto]
    inputs: Mapping[str, str]
    outputs: Sequence[tuple[str, str]]
    opset: int  # the operator set of the nodes

    def placed(self, fresh: Namer) -> list[NodeProto]:
        """The nodes that the outputs need, with names as around the node that they stand for."""
        made = {name for node in self.nodes for name in node.output if name}
        names = dict(self.inputs)
        aliases: list[tuple[str, str]] = []
        for inner, outer in self.outputs:
            if inner in made and inner not in names:
                names[inner] = outer
            else:
                aliases.append((inner, outer))
        names.update({name: fresh(name) for name in made - names.keys()})
        copies = [helper.make_node("Identity", [names.get(inner, inner)], [outer]) for inner, outer in aliases]
        placed = [renamed(node, names) for node in self.nodes]
        return needed_nodes([*placed, *copies], {outer for _, outer in self.outputs})


def graph_body(graph: GraphProto, inputs: Mapping[str, str], outputs: Sequence[str], opset: int) -> FunctionBody:
    """The body that is a graph: its initialisers become Constant nodes. An output that is not wanted is called ""."""
    constants = [constant(tensor.name, tensor) for tensor in graph.initializer]
    pairs = zip((value.name for value in graph.output), outputs, strict=False)
    return FunctionBody([*constants, *graph.node], inputs, [(inner, outer) for inner, outer in pairs if outer], opset)


def constant(name: str, tensor: TensorProto) -> NodeProto:
    """A node that makes `tensor`."""
    return helper.make_node("Constant", [], [name], value=tensor)


def graphs_of(attribute: AttributeProto) -> list[GraphProto]:
    """The graphs that an attribute holds."""
    return [attribute.g, *attribute.graphs] if attribute.HasField("g") else list(attribute.graphs)


def used_names(node: NodeProto) -> set[str]:
    """The names of values that a node needs, those that the graphs in it take from around it among them."""
    used = {name for name in node.input if name}
    for attribute in node.attribute:
        for graph in graphs_of(attribute):
            own = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
            inner = {value.name for value in graph.output}
            for entry in graph.node:
                inner |= used_names(entry)
                own.update(entry.output)
            used |= inner - own
    return used


def needed_nodes(nodes: Sequence[NodeProto], wanted: set[str]) -> list[NodeProto]:
    """The nodes that the values `wanted` depend on, in order."""
    needed, kept = set(wanted), list[NodeProto]()
    for node in reversed(nodes):
        if needed.intersection(filter(None, node.output)):
            kept.append(node)
            needed |= used_names(node)
    return kept[::-1]


def renamed(node: NodeProto, names: Mapping[str, str]) -> NodeProto:
    """A copy of `node` with values called as `names` says, in the graphs in it, too, where they are not their own."""
    copy = NodeProto()
    copy.CopyFrom(node)
    del copy.input[:], copy.output[:]
    copy.input.extend(names.get(name, name) for name in node.input)
    copy.output.extend(names.get(name, name) for name in node.output)
    for attribute in copy.attribute:
        for graph in graphs_of(attribute):
            _rename_within(graph, names)
    return copy


def _rename_within(graph: GraphProto, names: Mapping[str, str]) -> None:
    own = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    own.update(name for node in graph.node for name in node.output)
    outer = {inner: name for inner, name in names.items() if inner not in own}
    nodes = [renamed(node, outer) for node in graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    for value in graph.output:
        value.name = outer.get(value.name, value.name)
