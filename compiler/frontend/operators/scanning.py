"""Imports operators that go along an axis and make each element of those before it."""

from __future__ import annotations

from xdsl.ir import SSAValue

from compiler.dialects.onnx import CumSumOp, IdentityOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.pointwise import check_types
from compiler.nests.expression import select
from emu.isa.dtypes import NUMBERS


def cumsum(node: Node, scope: Scope) -> SSAValue:
    """CumSum: the sums of the elements along an axis up to each of them."""
    x = scope.value(node)
    check_types(node, [x], NUMBERS)
    shape = shape_of(x)
    # an operation of a text has its axis as a property
    given = scope.constant(node, 1, "axis").reshape(-1)[0] if node.has_input(1) else node.integer("axis", 0)
    axis = node.axis(int(given), len(shape))
    flags = {name: int(bool(node.integer(name, 0))) for name in ("exclusive", "reverse")}
    if shape[axis] == 1 and flags["exclusive"]:
        return elementwise(node, scope, [x], lambda value: select(value.same(value) & value.differs(value), value, 0))
    if shape[axis] == 1:
        return scope.emit(IdentityOp, node, [x], shape)
    return scope.emit(CumSumOp, node, [x], shape, {"axis": axis, **flags}, dtype=dtype_of(x))


OPERATORS = {"CumSum": cumsum}
