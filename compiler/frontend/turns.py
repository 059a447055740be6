"""Counts what the turns of a loop would make before the first one is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from onnx import GraphProto, NodeProto, numpy_helper

from compiler.basis.limits import MAX_FOLDED_NODES, MAX_NODES
from compiler.basis.weights import Array
from compiler.frontend.body import graph_body, graphs_of
from compiler.frontend.foldable import SHAPE_OPERATORS, is_foldable

Known = dict[str, Array | None]  # constants by name; None where only their number would tell the value
_INDEX, _CONDITION = 0, 1  # of the inputs of a body, which each turn knows


@dataclass(frozen=True, slots=True)
class GraphNodes:
    """Nodes that a graph is made of when it is read, and those of them that are evaluated."""

    nodes: int = 0
    folded: int = 0

    def __add__(self, other: GraphNodes) -> GraphNodes:
        return GraphNodes(self.nodes + other.nodes, self.folded + other.folded)

    def __mul__(self, times: int) -> GraphNodes:
        return GraphNodes(self.nodes * times, self.folded * times)

    def excess(self, turns: int) -> str:
        """Why a network cannot have so many turns of this, as the end of a sentence; empty if it can."""
        if turns * self.nodes > MAX_NODES:
            return f"{turns} turns of {self.nodes} nodes each, where a network may have {MAX_NODES} nodes in all"
        if turns * self.folded > MAX_FOLDED_NODES:
            return (
                f"{turns} turns of {self.folded} nodes each that have constant inputs only, of which"
                f" {MAX_FOLDED_NODES} are evaluated"
            )
        return ""


def work_of_turn(graph: GraphProto, constants: Mapping[str, Array], opset: int) -> GraphNodes:
    """What one turn of a loop with this body makes at least; `constants` are those around it."""
    return _work(graph, dict(constants), opset)


def is_always_true(graph: GraphProto, constants: Mapping[str, Array | None]) -> bool:
    """Whether a turn that is made asks for the next one: its condition is the one that it got, or a constant."""
    makers = {output: node for node in graph.node for output in node.output}
    truths = {tensor.name for tensor in graph.initializer if numpy_helper.to_array(tensor).all()}
    name = graph.output[0].name if graph.output else ""
    while name in makers and makers[name].op_type == "Identity":
        name = makers[name].input[0]
    if name in makers and makers[name].op_type == "Constant":
        values = list(_values(makers[name]))
        return bool(values) and bool(values[0].all())
    around = constants.get(name)
    known = name in truths or (around is not None and bool(around.all()))
    return known or [value.name for value in graph.input[_CONDITION : _CONDITION + 1]] == [name]


def _work(graph: GraphProto, known: Known, opset: int) -> GraphNodes:
    known |= dict.fromkeys(value.name for value in graph.input[: _CONDITION + 1])
    outputs = [value.name for value in graph.output]
    nodes: Sequence[NodeProto] = graph_body(graph, {}, outputs, opset).placed(lambda inner: inner)
    work = GraphNodes(1 + len(nodes))
    for node in nodes:
        if node.op_type == "Loop":
            work += _of_loop(node, known, opset)
        elif is_foldable(node, known):
            work += GraphNodes(folded=node.op_type != "Constant" and node.op_type not in SHAPE_OPERATORS)
            value = next(_values(node), None) if node.op_type == "Constant" else None
            known |= dict.fromkeys(node.output, value)
    return work


def _of_loop(node: NodeProto, known: Known, opset: int) -> GraphNodes:
    """All turns of a loop in a turn, if they are known."""
    count = known.get(node.input[0]) if node.input else None
    body = next((graph for attribute in node.attribute for graph in graphs_of(attribute)), GraphProto())
    if count is None or count.size != 1 or not _goes_on(node, body, known):
        return GraphNodes()
    return _work(body, dict(known), opset) * max(0, int(count.reshape(-1)[0]))


def _goes_on(node: NodeProto, body: GraphProto, known: Known) -> bool:
    """Whether nothing but its count ends an inner loop."""
    name = node.input[_CONDITION] if len(node.input) > _CONDITION else ""
    first = known.get(name)
    return is_always_true(body, known) and (not name or (first is not None and bool(first.all())))


def _values(node: NodeProto) -> Iterator[Array]:
    return (numpy_helper.to_array(entry.t) for entry in node.attribute if entry.name == "value")
