"""Imports operators that choose between elements: by a condition, or by where they stand."""

from __future__ import annotations

from xdsl.ir import SSAValue

from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise, written
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.pointwise import check_types
from compiler.nests.expression import Value, index, select
from emu.isa.dtypes import ALL, DType


def where(node: Node, scope: Scope) -> SSAValue:
    """Where: the second operand where the first one holds, else the third; all broadcast against each other."""
    condition, yes, no = (scope.value(node, place) for place in range(3))
    check_types(node, [condition], frozenset({DType.bool}))
    check_types(node, [yes, no], ALL)
    return elementwise(node, scope, [condition, yes, no], select)


def trilu(node: Node, scope: Scope) -> SSAValue:
    """Trilu: the upper or lower triangle of the last two axes from diagonal `k` on, zero elsewhere."""
    x = scope.value(node)
    rank = len(shape_of(x))
    if rank < 2:
        node.refuse(f"needs two dimensions or more, not {list(shape_of(x))}")
    upper, constant = node.integer("upper", 1), not node.has_input(1) or node.inputs[1] in scope.constants
    known = int(scope.constant(node, 1, "k").reshape(-1)[0]) if constant and node.has_input(1) else 0
    if not constant and dtype_of(scope.value(node, 1)) != DType.i64:
        node.refuse(f"has a k of {dtype_of(scope.value(node, 1)).numpy}, but it must be int64")

    def write(element: Value, *diagonal: Value) -> Value:
        row, column = index(rank - 2), index(rank - 1)
        first = row + (diagonal[0] if diagonal else known)
        return select(column >= first if upper else column <= first, element, 0)

    return written(node, scope, [x] if constant else [x, scope.value(node, 1)], write, shape_of(x))


OPERATORS = {"Where": where, "Trilu": trilu}
