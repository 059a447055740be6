"""The network's graph: which node reads what which other one has made, by the ONNX file or by the programs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from emu.operands.accesses import make_accesses
from emu.program.program import Program
from launch.report.sources.subject import ReportSubject

Edge = tuple[str, str]
MODEL, PROGRAMS = "model", "programs"


@dataclass(frozen=True, slots=True)
class ReportGraph:
    """Edges between nodes of the network, where they were read from, and operators by node (empty without a model)."""

    source: str
    edges: tuple[Edge, ...]
    kinds: dict[str, str] = field(default_factory=dict[str, str])


def graph_of(subject: ReportSubject) -> ReportGraph:
    """By the ONNX file if there is one, else by what the programs read and write."""
    if subject.model is not None:
        return _of_model(subject, subject.model)
    edges = dict.fromkeys(edge for program in subject.programs.values() for edge in _of_program(program, subject))
    return ReportGraph(PROGRAMS, tuple(edges))


def _of_model(subject: ReportSubject, path: Path) -> ReportGraph:
    """Nodes that the compiler has removed are passed through: who reads them reads what they read."""
    from compiler.frontend.model import load_model

    names = {origin.tensor: origin.node for origin in subject.image.manifest.tensors}
    made: dict[str, set[str]] = {}  # tensor -> nodes that its value comes from
    edges, kinds = dict[Edge, None](), dict[str, str]()
    graph = load_model(path).proto.graph
    for node in graph.node:
        before = {name for tensor in node.input for name in sorted(made.get(tensor, ()))}
        mine = next((names[tensor] for tensor in node.output if tensor in names), None)
        if mine is not None:
            kinds.setdefault(mine, node.op_type)
            edges |= dict.fromkeys((name, mine) for name in sorted(before) if name != mine)
        for tensor in node.output:
            made[tensor] = before if mine is None else {names.get(tensor, mine)}
    for output in graph.output:  # what stores an output is called like it
        edges |= dict.fromkeys((name, output.name) for name in sorted(made.get(output.name, ())) if name != output.name)
    return ReportGraph(MODEL, tuple(edges), kinds)


def _of_program(program: Program, subject: ReportSubject) -> Iterator[Edge]:
    """Nodes that read bytes of local memory which another one has written last; received bytes are their sender's."""
    section = program.main
    owners = [subject.owner(source.node) for source in program.sources]
    sources = section.columns["source"]
    accesses = make_accesses(section, program.groups)
    rows, (low, high) = np.flatnonzero(accesses.local), accesses.hulls
    order = rows[np.lexsort((accesses.write[rows], accesses.instruction[rows]))]  # an instruction reads, then writes
    memory = LastWriters()
    for row in order.tolist():
        source = int(sources[accesses.instruction[row]])
        if source < 0:
            continue
        begin, end, owner = int(low[row]), int(high[row]), owners[source]
        if accesses.read[row]:
            yield from ((before, owner) for before in memory.writers(begin, end) if before != owner)
        if accesses.write[row]:
            memory.write(begin, end, owner)


class LastWriters:
    """Who has written which bytes last, as ranges that do not overlap, in order."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._parts: list[tuple[int, str]] = []  # end, writer

    def writers(self, begin: int, end: int) -> dict[str, None]:
        """Of the bytes [begin, end)."""
        first, last = self._touched(begin, end)
        return dict.fromkeys(writer for _, writer in self._parts[first:last])

    def write(self, begin: int, end: int, writer: str) -> None:
        """Bytes [begin, end) are of this writer now."""
        first, last = self._touched(begin, end)
        starts, parts = [begin], [(end, writer)]
        if first < last:
            left, (right, after) = self._begins[first], self._parts[last - 1]
            if left < begin:
                starts.insert(0, left)
                parts.insert(0, (begin, self._parts[first][1]))
            if right > end:
                starts.append(end)
                parts.append((right, after))
        self._begins[first:last], self._parts[first:last] = starts, parts

    def _touched(self, begin: int, end: int) -> tuple[int, int]:
        """The places of the ranges that overlap [begin, end)."""
        first = max(0, bisect_right(self._begins, begin) - 1)
        if first < len(self._parts) and self._parts[first][0] <= begin:
            first += 1
        return first, max(first, bisect_left(self._begins, end))
