"""Rewrites a decoder whose caches grow, node by node, into one whose caches have room and a position."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from onnx import NodeProto, TensorProto, helper

from compiler.basis.weights import Array
from compiler.caches.facts import Facts, Tail
from compiler.caches.lengths import CacheRoom, Lengths
from compiler.caches.standing import Standing
from compiler.caches.survey import ValueSurvey
from compiler.caches.writer import CacheWriter
from compiler.frontend.body import used_names

NEUTRAL: Mapping[str, float] = {"zero": 0.0, "one": 1.0, "lowest": -np.inf, "highest": np.inf}  # behind the end

_WITHOUT_ELEMENTS = ("Shape", "Size", "Range", "ConstantOfShape")  # what they make has no operand with its elements


class Rewriting:
    """What the rules of operators know and write; `facts` are those of values with axes that grow."""

    def __init__(
        self,
        survey: ValueSurvey,
        room: CacheRoom,
        writer: CacheWriter,
        facts: dict[str, Facts],
        apply: Callable[[Rewriting, NodeProto], None],
    ) -> None:
        """`facts` begin with those of the inputs that grow; `apply` writes a node by the rule of its operator."""
        self._apply = apply
        self.survey, self.room, self.writer, self.facts = survey, room, writer, facts
        self.standing = Standing(survey, writer, room)

    def run(self, outputs: Sequence[str]) -> None:
        """Write all nodes that `outputs` need."""
        survey = self.survey
        wanted = {name for node in survey.nodes if self._is_run(node) for name in used_names(node)} | set(outputs)
        self.standing.look(sorted(wanted & survey.dependent))
        for node in survey.nodes:
            if self._is_run(node):
                self.write(node)
            elif survey.dependent.isdisjoint(node.output):
                self._copy(node)
        for name in outputs:
            if name in survey.dependent:
                self.operand(survey.made_by[name], name)

    def _copy(self, node: NodeProto) -> None:
        """Write a node whose results are always the same; those of a shape do not need what has it."""
        if self.survey.dependent.isdisjoint(node.input):
            self.writer.nodes.append(node)
            return
        for name in filter(None, node.output):
            self.writer.constant(self.survey.static[name][0], name)

    def write(self, node: NodeProto) -> None:
        """Write a node that runs: as it is, where no cache reaches it, else by the rule of its operator."""
        if self.survey.is_touched(node):
            self._apply(self, node)
        else:
            self.writer.nodes.append(node)

    def operand(self, node: NodeProto, name: str) -> str:
        """A value for a node, which is put into the network if it is static; returns its name."""
        survey = self.survey
        if name not in survey.dependent or name in self.facts:
            return name
        found = self.standing.put(name)
        if found is None:
            maker = survey.made_by[name]
            if maker.op_type in _WITHOUT_ELEMENTS or any(made in self.facts for made in maker.output):
                raise survey.refusal(node, f"needs '{name}', which changes with every step and is too large a table")
            self.write(maker)
            return name
        self.facts[name] = Facts(found.tails, self.cache_of(used_names(survey.made_by[name])))
        return name

    def cache_of(self, names: set[str]) -> str:
        """A cache that reaches one of the values, for errors."""
        found = (self.facts[name].cache for name in sorted(names) if name in self.facts)
        return next(filter(None, found), "")

    def shape(self, node: NodeProto, name: str) -> list[int]:
        """The shape of a value with room; refuses one that has none."""
        dims = self.dims(node, name)
        sizes = [self.room.of(length) for length in dims]
        if None in sizes:
            shown = ", ".join(map(str, dims))
            raise self.survey.refusal(node, f"has to do with '{name}' of [{shown}]", self.cache_of(used_names(node)))
        return [size for size in sizes if size is not None]

    def dims(self, node: NodeProto, name: str) -> Lengths:
        """The lengths of the axes of a value; refuses one whose shape is not known."""
        dims = self.survey.dims.get(name)
        if dims is None:
            raise self.survey.refusal(node, f"has to do with '{name}' of unknown shape")
        return dims

    def masked(self, node: NodeProto, name: str, axis: int, neutral: str, now: str = "") -> str:
        """The value, or what has become of it by `now`, with what is `NEUTRAL` behind the end of an axis."""
        dims = self.dims(node, name)
        room, kind = self.shape(node, name)[axis], self.survey.kinds[name]
        valid = self.writer.valid(dims[axis], room, len(dims) - axis - 1)
        fill = self.writer.constant(np.array(_neutral(neutral, kind)))
        return self.writer.emit("Where", [valid, now or name, fill])

    def tail(self, name: str, axis: int) -> Tail:
        """What stands behind the end of an axis of a value."""
        facts = self.facts.get(name)
        found = facts.tails.get(axis, Tail.ANY) if facts else Tail.ANY
        kind = self.survey.kinds.get(name, TensorProto.FLOAT)
        return found if helper.tensor_dtype_to_np_dtype(kind).kind not in "biu" else min(found, Tail.FINITE)

    def _is_run(self, node: NodeProto) -> bool:
        return not any(name in self.survey.static for name in node.output)


def _neutral(name: str, kind: int) -> Array:
    """A number that changes nothing, as an element of a type."""
    dtype, value = helper.tensor_dtype_to_np_dtype(kind), NEUTRAL[name]
    if np.isfinite(value) or dtype.kind not in "biu":
        return np.array(value).astype(dtype)
    if dtype.kind == "b":
        return np.array(value > 0)
    bounds = np.iinfo(dtype)
    return np.array(bounds.max if value > 0 else bounds.min, dtype)
