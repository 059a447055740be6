"""Replaces calls of a model's local functions by their bodies, after it has been counted what that would make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from onnx import FunctionProto, ModelProto, NodeProto

from compiler.basis.limits import MAX_CALL_DEPTH, MAX_NODES, MAX_STRUCTURE
from emu.errors import CompileError

Key = tuple[str, str, str]  # domain, name, overload


class Amount(NamedTuple):
    """What nodes become when every call in them is expanded."""

    nodes: int
    size: int  # bytes
    depth: int  # of calls


@dataclass
class _Count:
    """Counts expansions; each function is looked at once."""

    functions: dict[Key, FunctionProto]
    where: str
    known: dict[Key, Amount] = field(default_factory=dict[Key, Amount])
    under_way: list[Key] = field(default_factory=list[Key])

    def of_nodes(self, nodes: Iterable[NodeProto]) -> Amount:
        count, size, depth = 0, 0, 0
        calls: Counter[Key] = Counter()
        for node in all_nodes(nodes):
            key = _key(node.domain, node.op_type, node.overload)
            if key in self.functions:
                calls[key] += 1
            else:
                count, size = count + 1, size + node.ByteSize()
        for key, times in calls.items():
            inner = self.of_function(key)
            count, size = count + times * inner.nodes, size + times * inner.size
            depth = max(depth, inner.depth + 1)
        return Amount(count, size, depth)

    def of_function(self, key: Key) -> Amount:
        if key in self.known:
            return self.known[key]
        if key in self.under_way:
            raise CompileError(f"{self.where}: the local function '{key[1]}' calls itself, which ONNX does not allow")
        if len(self.under_way) > MAX_CALL_DEPTH:
            raise CompileError(
                f"{self.where}: its local functions call each other more than {MAX_CALL_DEPTH} deep: export it flat"
            )
        self.under_way.append(key)
        self.known[key] = self.of_nodes(self.functions[key].node)
        self.under_way.pop()
        return self.known[key]


def inlined(proto: ModelProto, where: str) -> ModelProto:
    """The model with its local functions (newer exporters) replaced by their bodies.

    Functions that call functions can make a few bytes into billions of nodes: raises CompileError before that.
    """
    if not proto.functions:
        return proto
    import onnx.inliner

    count = _Count({_key(f.domain, f.name, f.overload): f for f in proto.functions}, where)
    for node in all_nodes(proto.graph.node):
        made = count.of_nodes([node])
        if made.nodes > MAX_NODES or made.size > MAX_STRUCTURE:
            raise CompileError(
                f"{where}: node '{node.name or node.op_type}' ({node.op_type}) stands for {_some(made.nodes)} nodes of "
                f"{_some(made.size)} bytes when its functions are expanded; a network may have {MAX_NODES} of "
                f"{MAX_STRUCTURE}"
            )
    total = count.of_nodes(proto.graph.node)
    if total.nodes > MAX_NODES or total.size > MAX_STRUCTURE:
        raise CompileError(
            f"{where}: its functions expand to {_some(total.nodes)} nodes of {_some(total.size)} bytes; a network may "
            f"have {MAX_NODES} of {MAX_STRUCTURE}"
        )
    try:
        return onnx.inliner.inline_local_functions(proto)
    except Exception as error:  # the C++ inliner raises untyped exceptions
        raise CompileError(f"{where}: its local functions cannot be inlined: {str(error).splitlines()[0]}") from error


def all_nodes(nodes: Iterable[NodeProto]) -> Iterable[NodeProto]:
    """The nodes and those of the graphs in their attributes."""
    pending = list(nodes)[::-1]
    while pending:
        node = pending.pop()
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                pending.extend(graph.node)


def _key(domain: str, name: str, overload: str) -> Key:
    return ("" if domain == "ai.onnx" else domain, name, overload)


def _some(count: int) -> str:
    return str(count) if count < 10**15 else "more than 10^15"
