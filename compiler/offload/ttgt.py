"""Pass `ttgt`: contractions become products of matrices, by transposes before and behind (TTGT)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Region, SSAValue
from xdsl.passes import ModulePass

from compiler.dialects.linalg.generic import GenericOp
from compiler.dialects.linalg.structure import Structure
from compiler.dialects.origins import rewriting
from compiler.offload.building import cast_to, each, element, plain, product_body, reshaped, turned
from compiler.offload.contraction import contractions, loop_sizes, loops_of, marked
from compiler.offload.elements import elements_of, is_product
from compiler.offload.emitter import OperationEmitter


@dataclass(frozen=True)
class TtgtPass(ModulePass):
    """Makes `[m, k] x [k, n]` of every noted contraction: transpose, collapse, multiply, expand, transpose.

    Factors whose elements crossbars would not take for the same numbers are widened before. A matrix times a vector
    becomes one row times the matrix, so that the matrix is what a crossbar holds.
    """

    name = "ttgt"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place."""
        for found in contractions(list(op.walk())):
            if not is_product(found):
                with rewriting(found):
                    _rewrite(found)


def _rewrite(op: GenericOp) -> None:
    structure, roles, sizes, elements = Structure.of(op), marked(op), loop_sizes(op), elements_of(op)
    assert sizes is not None and elements is not None
    emit = OperationEmitter.before(op)
    swapped = "n" not in roles
    groups = {letter: [loop for loop, role in enumerate(roles) if role == letter] for letter in "mnk"}
    left, right = ("n", "m") if swapped else ("m", "n")
    first, second = (1, 0) if swapped else (0, 1)

    def matrix(value: SSAValue, place: int, rows: Sequence[int], cols: Sequence[int]) -> SSAValue:
        loops = loops_of(structure.maps[place])
        made = turned(emit, value, [loops.index(loop) for loop in (*rows, *cols)])
        return reshaped(emit, made, [prod(sizes[loop] for loop in group) for group in (rows, cols)])

    rows, cols, inner = groups[left], groups[right], groups["k"]
    factors = [each(emit, *pair) for pair in zip(structure.inputs, elements.casts, strict=True)]
    a = matrix(factors[first], first, rows, inner)
    b = matrix(factors[second], second, inner, cols)
    before, kind = structure.outputs[0], element(structure.outputs[0])
    wider = kind != elements.result
    c = matrix(each(emit, before, [cast_to(arith.ExtFOp, elements.result)] if wider else []), 2, rows, cols)
    body = _exchanged(op.body) if swapped else op.body.clone()
    if any(elements.casts) or wider:
        body = product_body(elements.held, elements.result)
    made = plain(emit, a, b, c, body).results[0]
    made = each(emit, made, [cast_to(arith.TruncFOp, kind)] if wider else [])
    result = reshaped(emit, made, [sizes[loop] for loop in (*rows, *cols)])
    order = [*rows, *cols]
    result = turned(emit, result, [order.index(loop) for loop in loops_of(structure.maps[2])])
    op.results[0].replace_all_uses_with(result)
    op.detach()
    op.erase()


def _exchanged(body: Region) -> Region:
    """The body with its first two arguments exchanged."""
    made = body.clone()
    block = made.block
    first, second, _ = block.args
    fresh = block.insert_arg(second.type, 0)
    second.replace_all_uses_with(fresh)
    block.erase_arg(second)
    assert block.args[1] is first
    return made
