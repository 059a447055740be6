"""In which types a device multiplies the elements of a contraction, so that the bits are those of the host."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import f16, f32, i8, i16, i32, i64
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, Operation

from compiler.dialects.linalg import casts
from compiler.dialects.linalg.generic import GenericOp
from compiler.offload.building import element
from compiler.offload.contraction import body_of, is_plain

_HELD = (i8, i16, i32, i64, f16, f32)
_EXACT = (casts.ExtSIOp, arith.ExtFOp)  # after these, products are those of the narrower numbers as they are


@dataclass(frozen=True, slots=True)
class CrossbarTypes:
    """Crossbars hold `held` and make sums of `result`; integers wrap there as they would on the host.

    Factors have to be widened before, by `casts`, unless they stand for the same numbers as they are. Sums of f16 are
    made in f32.
    """

    held: Attribute
    result: Attribute
    casts: tuple[tuple[Operation, ...], tuple[Operation, ...]]


def elements_of(op: LinalgStructuredOperation) -> CrossbarTypes | None:
    """Those of a contraction; None if crossbars have no types for it."""
    body, result = body_of(op), element(op.outputs[0])
    if body is None or result not in _HELD:
        return None
    kinds = [element(value) for value in op.inputs]
    sums = f32 if result == f16 else result
    same = kinds[0] == kinds[1] and kinds[0] in _HELD
    if same and all(isinstance(cast, _EXACT) for casts in body.casts for cast in casts):
        return CrossbarTypes(kinds[0], sums, ((), ()))
    return CrossbarTypes(result, sums, body.casts)


def is_product(op: GenericOp) -> bool:
    """Whether a contraction is [m, k] x [k, n], of elements that go to the device as they are."""
    elements = elements_of(op)
    made = elements is not None and not any(elements.casts) and elements.result == element(op.outputs[0])
    return made and is_plain(op)
