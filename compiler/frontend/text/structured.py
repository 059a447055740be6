"""Structured operations: functions of elements, reductions, and what is raised to products, windows and activations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import SSAValue

from compiler.dialects.linalg.structure import Structure
from compiler.dialects.onnx import AddOp
from compiler.dialects.onnx_op import OnnxOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise
from compiler.frontend.nodes.scope import shape_of
from compiler.frontend.text.activations import raised
from compiler.frontend.text.biases import once
from compiler.frontend.text.bodies import OPERAND, Read, TracedBody, WantedResult, emit, number_of
from compiler.frontend.text.pools import pooled
from compiler.frontend.text.products import multiplied
from compiler.frontend.text.reader import Empty, Known, TextNode, TextReader
from compiler.frontend.text.reductions import TextReduction, place_of, reduction_of
from compiler.frontend.text.scalars import turned
from compiler.frontend.text.tracing import trace
from compiler.nests.expression import Value, constant, select
from compiler.nests.linear import covers
from emu.isa.dtypes import DType


def read_structured(op: LinalgStructuredOperation, node: TextNode, reader: TextReader) -> list[Known]:
    """Its results."""
    structure = Structure.of(op)
    traced = trace(structure, reader, node)
    if not all(traced.sizes):
        return [_nothing(reader.values[value], node) for value in structure.outputs]
    used = [bool(list(result.uses)) for result in op.results]
    for place, target in enumerate(traced.targets):
        shape = reader.shape(structure.outputs[place])
        if used[place] and not covers(target, shape, traced.sizes, traced.parallel):
            node.refuse(
                f"has the map {structure.maps[len(structure.inputs) + place]} of a result, which does not meet each of"
                " its elements once by the parallel loops"
            )
    maker = _Maker(structure, traced, reader, node)
    return [
        maker.result(place) if used[place] else Empty(reader.shape(value), dtype)
        for place, (value, dtype) in enumerate(
            zip(structure.outputs, (value.dtype for value in traced.accumulators), strict=True)
        )
    ]


def _nothing(found: Known, node: TextNode) -> Known:
    """What a loop that never runs leaves."""
    if isinstance(found, Empty):
        return np.zeros(found.shape, found.dtype.numpy)
    return found


@dataclass
class _Maker:
    structure: Structure
    traced: TracedBody
    reader: TextReader
    node: TextNode

    def __post_init__(self) -> None:
        self._made: dict[int, tuple[SSAValue, TextReduction]] = {}  # reductions, without what stood there before

    def result(self, place: int) -> SSAValue:
        """One result."""
        part, root = "" if len(self.structure.outputs) == 1 else f"result{place}", self.traced.results[place]
        if all(self.traced.parallel):
            wanted = self._wanted(place, part)
            return raised(wanted, root) or emit(wanted, root)
        if (found := self._arg(place, part)) is not None:
            return found
        if (found := self._biased(place, part)) is not None:
            return _called(found, self.node, place)
        made, reduction = self._reduced(place, part)
        return _called(self._with_before(place, made, reduction, part), self.node, place)

    def _wanted(self, place: int, part: str) -> WantedResult:
        shape = self.reader.shape(self.structure.outputs[place])
        return WantedResult(self.reader, self.node, self.traced, place, shape, part)

    def _reduced(self, place: int, part: str) -> tuple[SSAValue, TextReduction]:
        """The reduction of a result, without what stood there before."""
        if place in self._made:
            return self._made[place]
        reduction = reduction_of(self.traced, place)
        if reduction is None:
            self.node.refuse(
                "has a body that is no reduction: the old element of the result must meet a new one in one operation"
                " (addf, addi, mulf, muli, max, min, maxui, minui, andi, ori)"
            )
        wanted = self._wanted(place, part)
        if not self._starts_neutral(place, reduction):
            wanted = self._wanted(place, wanted.named("reduced"))
        made = multiplied(wanted, reduction) or pooled(wanted, reduction)
        made = made or self._combined(wanted, reduction)
        self._made[place] = made, reduction
        return self._made[place]

    def _biased(self, place: int, part: str) -> SSAValue | None:
        """A product that has what stood there before as its bias."""
        reduction, before = reduction_of(self.traced, place), self._before(place)
        if reduction is None or not isinstance(before, np.ndarray) or self._starts_neutral(place, reduction):
            return None
        return multiplied(self._wanted(place, part), reduction, before)

    def _combined(self, wanted: WantedResult, reduction: TextReduction) -> SSAValue:
        """A nest, and where its numbers have no sign another one that turns them back."""
        if not reduction.without_sign:
            return emit(wanted, reduction.value, reduction.combine)
        made = emit(replace(wanted, part=wanted.named("signed")), reduction.value, reduction.combine)
        return elementwise(self.node, self.reader.scope, [made], turned, wanted.part)

    def _before(self, place: int) -> Known:
        return self.reader.values[self.structure.outputs[place]]

    def _starts_neutral(self, place: int, reduction: TextReduction) -> bool:
        """Whether what stands in a result before changes nothing."""
        before = self._before(place)
        if isinstance(before, Empty):
            number = len(self.structure.inputs) + place
            self.node.refuse(f"adds to operand {number}, whose elements nobody has written: fill it first")
        if isinstance(before, SSAValue):
            return False
        number = number_of(before)
        start = reduction.start
        return bool(number == start) if number is not None else bool(before.size and np.all(before == start))

    def _with_before(self, place: int, made: SSAValue, reduction: TextReduction, part: str) -> SSAValue:
        """The reduction together with what stood there before."""
        if self._starts_neutral(place, reduction):
            return made
        before = self._before(place)
        number = number_of(before)
        if number is not None:
            value = number.item()
            return elementwise(
                self.node, self.reader.scope, [made], lambda x: reduction.met(x.constant(value), x), part
            )
        assert not isinstance(before, Empty)
        scope = self.reader.scope
        other = (
            before if isinstance(before, SSAValue) else self.reader.constant(once(before), self.node, f"before{place}")
        )
        if reduction.combine == "add" and dtype_of(made) == DType.f32:  # a bias, where it is one per channel
            return scope.emit(AddOp, self.node, [made, other], shape_of(made), part=part)
        return elementwise(self.node, scope, [other, made], reduction.met, part)

    def _arg(self, place: int, part: str) -> SSAValue | None:
        """Where the largest or smallest element is, if that is what a result is."""
        traced, found = self.traced, place_of(self.traced, place)
        if found is None or self._before_number(place) != 0:
            return None
        best, where = found.best, found.where
        reduction = reduction_of(traced, best)
        if reduction is None or not self._starts_neutral(best, reduction):
            return None
        made, _ = self._reduced(best, f"result{best}")
        extra = len(traced.operands)
        top = Value(OPERAND, dtype_of(made), (), extra)
        beyond = np.iinfo(where.dtype.numpy).max if found.first else -1
        value = select(reduction.value.same(top), where, constant(beyond, where.dtype))
        more: Mapping[int, Read] = {extra: Read(made, traced.targets[best])}
        return emit(self._wanted(place, part), value, "min" if found.first else "max", more)

    def _before_number(self, place: int) -> float | None:
        number = number_of(self._before(place))
        return None if number is None else float(number)


def _called(value: SSAValue, node: TextNode, place: int) -> SSAValue:
    """The last operation of several is called as the result in the text."""
    op = value.owner
    if isinstance(op, OnnxOp) and op.node.data.partition("/")[0] == node.name and "tensor" in op.properties:
        op.properties["node"], op.properties["tensor"] = StringAttr(node.name), StringAttr(node.outputs[place])
    return value
