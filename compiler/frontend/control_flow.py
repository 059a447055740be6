"""Branches that a constant chooses, and loops whose turns are known: programs of cores have neither."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np
from onnx import GraphProto, NodeProto, helper

from compiler.frontend.body import FunctionBody, graph_body
from compiler.frontend.turns import is_always_true, work_of_turn
from emu.errors import CompileError

if TYPE_CHECKING:  # runs, which look at graphs only, are spared the dialects
    from compiler.frontend.nodes.scope import Scope

WITHOUT = "export the model without it (with fixed sizes, loops unrolled)"


class BranchReader(Protocol):
    """What reads the nodes of a graph that a branch or a turn is made of."""

    scope: Scope

    def read_body(self, body: FunctionBody, name: str) -> None:
        """Define the outputs of `body`, whose nodes are called `name`/..."""
        ...

    def fresh(self, name: str) -> str:
        """A name that nothing else has, like `name`."""
        ...


def refuse(where: str, name: str, kind: str, reason: str) -> CompileError:
    """The error of a node that the compiler would have to decide about, but cannot."""
    return CompileError(f"{where}: node '{name}' ({kind}) {reason}: {WITHOUT}")


def read_branch(proto: NodeProto, name: str, reader: BranchReader) -> None:
    """If: the branch that its condition chooses."""
    chosen = _flag(proto, 0, name, reader, "chooses by a value that is computed at run time")
    graph = _graph(proto, "then_branch" if chosen else "else_branch")
    reader.read_body(graph_body(graph, {}, proto.output, reader.scope.opset), name)


def read_loop(proto: NodeProto, name: str, reader: BranchReader) -> None:
    """Loop: its turns one after the other, in each the values that the one before left."""
    scope, graph = reader.scope, _graph(proto, "body")
    count = _count(proto, name, reader)
    going = not _given(proto, 1) or _flag(proto, 1, name, reader, "goes on by a value that is computed at run time")
    if going and is_always_true(graph, scope.constants):
        _check_turns(count, graph, name, reader)
    carried, turn = list(proto.input[2:]), 0
    stacked: list[list[str]] = [[] for _ in graph.output[1 + len(carried) :]]
    while going and (count is None or turn < count):
        label = f"{name}/{turn}"
        index, condition = reader.fresh(f"{label}/index"), reader.fresh(f"{label}/condition")
        scope.define(index, np.array(turn, np.int64))
        scope.define(condition, np.array(True))
        inputs = dict(zip((value.name for value in graph.input), (index, condition, *carried), strict=False))
        outputs = [reader.fresh(f"{label}/{value.name}") for value in graph.output]
        reader.read_body(graph_body(graph, inputs, outputs, scope.opset), label)
        if outputs[0] not in scope.constants:
            raise refuse(scope.where, name, "Loop", "goes on by a value that is computed at run time")
        going = bool(scope.array(outputs[0]).all())
        carried = outputs[1 : 1 + len(carried)]
        for names, made in zip(stacked, outputs[1 + len(carried) :], strict=True):
            names.append(made)
        turn += 1
    finals = [(inner, outer) for inner, outer in zip(carried, proto.output, strict=False) if outer]
    reader.read_body(FunctionBody([], {}, finals, scope.opset), name)
    for names, output in zip(stacked, proto.output[len(carried) :], strict=False):
        if output:
            _stack(names, output, name, reader)


def read_scan(proto: NodeProto, name: str, reader: BranchReader) -> None:
    """Scan: refused."""
    raise refuse(reader.scope.where, name, "Scan", "repeats a graph, which is not supported")


# Operator -> reads a node of it.
CONTROL: Mapping[str, Callable[[NodeProto, str, BranchReader], None]] = {
    "If": read_branch,
    "Loop": read_loop,
    "Scan": read_scan,
}


def _stack(names: list[str], output: str, label: str, reader: BranchReader) -> None:
    """The values `names` of all turns along a new first axis."""
    if not names:
        raise refuse(reader.scope.where, label, "Loop", f"makes no turn, so that its output '{output}' has no shape")
    rows: list[NodeProto] = []
    joined = [f"row{turn}" for turn in range(len(names))]
    for name, row in zip(names, joined, strict=True):
        shape = reader.fresh(f"{label}/shape")
        reader.scope.define(shape, np.array((1, *reader.scope.shape(name)), np.int64))
        rows.append(helper.make_node("Reshape", [name, shape], [row]))
    rows.append(helper.make_node("Concat", joined, ["all"], axis=0))
    reader.read_body(FunctionBody(rows, {}, [("all", output)], reader.scope.opset), label)


def _given(proto: NodeProto, place: int) -> bool:
    return len(proto.input) > place and bool(proto.input[place])


def _flag(proto: NodeProto, place: int, name: str, reader: BranchReader, reason: str) -> bool:
    """The constant truth value of an input."""
    array = reader.scope.constants.get(proto.input[place])
    if array is None or array.size != 1:
        raise refuse(reader.scope.where, name, proto.op_type, reason)
    return bool(array.all())


def _count(proto: NodeProto, name: str, reader: BranchReader) -> int | None:
    """How many turns there may be; None for any number."""
    if not _given(proto, 0):
        return None
    array = reader.scope.constants.get(proto.input[0])
    if array is None or array.size != 1:
        raise refuse(reader.scope.where, name, proto.op_type, "makes a number of turns that is computed at run time")
    return int(array.reshape(-1)[0])


def _check_turns(count: int | None, graph: GraphProto, name: str, reader: BranchReader) -> None:
    """Refuse a loop whose turns are more than a network may have, before the first one is made."""
    scope = reader.scope
    if count is None:
        raise refuse(scope.where, name, "Loop", "never ends: its condition is always true, and it has no bound")
    if excess := work_of_turn(graph, scope.constants, scope.opset).excess(count):
        raise refuse(scope.where, name, "Loop", f"makes {excess}")


def _graph(proto: NodeProto, attribute: str) -> GraphProto:
    graphs = [entry.g for entry in proto.attribute if entry.name == attribute]
    return graphs[0] if graphs else GraphProto()
