"""Which reduction a body is: how a new value meets the old one, and the new value."""

from __future__ import annotations

from dataclasses import dataclass

from compiler.frontend.text.bodies import Traced, walk
from compiler.nests.expression import Value, call
from emu.isa.dtypes import DType

_COMBINES = ("add", "mul", "max", "min", "bit_and", "bit_or")
_LARGER, _SMALLER = {"gt", "ge"}, {"lt", "le"}


@dataclass(frozen=True, slots=True)
class Reduction:
    """`value` of all points, put together by `combine`."""

    combine: str
    value: Value


def reduction_of(traced: Traced, place: int) -> Reduction | None:
    """What result `place` is; None if its old element meets new ones otherwise than in one associative function."""
    own, root = traced.accumulators[place], traced.results[place]
    found = _split(root, own)
    if found is None:
        return None
    numbers = {int(value.number) for value in traced.accumulators}
    return None if numbers & set(traced.used(found.value)) else found


def _split(root: Value, own: Value) -> Reduction | None:
    """`combine(own, value)`, or that with more values around it: `(own + a) + b` is `own + (a + b)`."""
    combine, others = "", list[Value]()
    while root is not own:
        kind, args = _meeting(root)
        if kind not in _COMBINES or (combine and kind != combine):
            return None
        combine = kind
        holding = [arg for arg in args if any(value is own for value in walk(arg))]
        if len(holding) != 1 or len(args) != 2:
            return None
        others.append(next(arg for arg in args if arg is not holding[0]))
        if root.fn == "sub":
            if holding[0] is not args[0]:
                return None
            others[-1] = -others[-1]
        root = holding[0]
    if not others:
        return None
    value = others[-1]
    for other in others[-2::-1]:
        value = call(combine, value, other)
    return Reduction(combine, value)


def _meeting(root: Value) -> tuple[str, tuple[Value, ...]]:
    """The function that puts two values together; a choice of the larger one is a maximum, xor of bits is no sum."""
    if root.fn == "select":
        test, yes, no = root.args
        test, turned = (test.args[0], True) if test.fn == "complement" else (test, False)
        if test.fn in _LARGER | _SMALLER and {id(yes), id(no)} == {id(arg) for arg in test.args}:
            larger = (test.fn in _LARGER) == (test.args[0] is yes)
            return ("max" if larger != turned else "min"), (yes, no)
    if root.fn == "sub" and root.dtype != DType.bool:
        return "add", root.args
    return root.fn, root.args
