"""Which reduction a body is: how a new value meets the old one, and the new value."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from xdsl.ir import SSAValue

from compiler.frontend.text.bodies import OPERAND, TracedBody, walk
from compiler.frontend.text.reader import Empty
from compiler.frontend.text.scalars import turned
from compiler.nests.body import CONSTANT, INDEX
from compiler.nests.expression import Value, call, select
from compiler.nests.functions import COMBINES
from emu.isa.dtypes import DType

_COMBINES = ("add", "mul", "max", "min", "bit_and", "bit_or")
_WITHOUT_SIGN = "unsigned "
_LARGER, _SMALLER = {"gt", "ge"}, {"lt", "le"}


@dataclass(frozen=True, slots=True)
class TextReduction:
    """`value` of all points, put together by `combine`; those `without_sign` are turned, so that they are in order."""

    combine: str
    value: Value
    without_sign: bool = False

    @property
    def start(self) -> float | int:
        """What changes nothing, as the text has it."""
        start = COMBINES[self.combine].start(self.value.dtype)
        return int(start) ^ -(1 << (8 * self.value.dtype.size - 1)) if self.without_sign else start

    def met(self, before: Value, made: Value) -> Value:
        """What stood there before, together with what was made."""
        function = COMBINES[self.combine].function
        return (
            turned(call(function, turned(before), turned(made))) if self.without_sign else call(function, before, made)
        )


def reduction_of(traced: TracedBody, place: int) -> TextReduction | None:
    """What result `place` is; None if its old element meets new ones otherwise than in one associative function."""
    own, root = traced.accumulators[place], traced.results[place]
    found = _split(root, own)
    if found is None:
        return None
    numbers = {int(value.number) for value in traced.accumulators}
    return None if numbers & set(traced.used(found.value)) else found


def _split(root: Value, own: Value) -> TextReduction | None:
    """`combine(own, value)`, or that with more values around it: `(own + a) + b` is `own + (a + b)`."""
    if (masked := _masked(root, own)) is not None:
        return masked
    combine, others = "", list[Value]()
    while root is not own:
        kind, args = _meeting(root)
        if kind.removeprefix(_WITHOUT_SIGN) not in _COMBINES or (combine and kind != combine):
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
    function, without_sign = combine.removeprefix(_WITHOUT_SIGN), combine.startswith(_WITHOUT_SIGN)
    values = [turned(other) if without_sign else other for other in others]
    value = values[-1]
    for other in values[-2::-1]:
        value = call(function, value, other)
    return TextReduction(function, value, without_sign)


def _masked(root: Value, own: Value) -> TextReduction | None:
    """A reduction of those points alone where a test holds: of the others it takes what changes nothing."""
    if root.fn != "select" or not any(arg is own for arg in root.args[1:]):
        return None
    test, yes, no = root.args
    found = _split(no if yes is own else yes, own)
    if found is None or any(value is own for value in walk(test)):
        return None
    neutral = found.value.constant(COMBINES[found.combine].start(found.value.dtype))
    chosen = (neutral, found.value) if yes is own else (found.value, neutral)
    return replace(found, value=select(test, *chosen))


def _meeting(root: Value) -> tuple[str, tuple[Value, ...]]:
    """The function that puts two values together; a choice of the larger one is a maximum, xor of bits is no sum."""
    if root.fn == "select":
        test, yes, no = root.args
        test, turned = (test.args[0], True) if test.fn == "complement" else (ordered(test), False)
        if test.fn in _LARGER | _SMALLER and {id(yes), id(no)} == {id(arg) for arg in test.args}:
            larger = (test.fn in _LARGER) == (test.args[0] is yes)
            return ("max" if larger != turned else "min"), (yes, no)
    if root.fn == "bit_xor" and (inner := _plain_of(root)) is not None and inner.fn in ("max", "min"):
        args = tuple(_plain_of(arg) for arg in inner.args)
        if None not in args:
            return f"{_WITHOUT_SIGN}{inner.fn}", tuple(arg for arg in args if arg is not None)
    if root.fn == "sub" and root.dtype != DType.bool:
        return "add", root.args
    return root.fn, root.args


def _plain_of(value: Value) -> Value | None:
    """What was turned, or what turned numbers were put together to; None of any other value."""
    wanted = turned(value.constant(0)).args[1].number if not value.dtype.is_float else 0
    if value.fn == CONSTANT and not value.dtype.is_float:
        return value.constant(int(value.number) ^ int(wanted))
    is_turned = value.fn == "bit_xor" and value.args[1].fn == CONSTANT and value.args[1].number == wanted
    return value.args[0] if is_turned else None


def ordered(test: Value) -> Value:
    """A comparison without the part that says that one of its operands is no number."""
    terms = [term for term in alternatives(test) if not (term.fn == "ne" and term.args[0] is term.args[1])]
    return terms[0] if len(terms) == 1 else test


def alternatives(test: Value) -> list[Value]:
    """The values of which a truth value is the disjunction."""
    return [term for arg in test.args for term in alternatives(arg)] if test.fn == "bit_or" else [test]


@dataclass(frozen=True, slots=True)
class IndexOfBest:
    """The index `where` of the best element so far, accumulator `best`: of equal ones the first, or the last."""

    where: Value
    best: int
    first: bool


def place_of(traced: TracedBody, number: int) -> IndexOfBest | None:
    """What result `number` is, if it is where the largest or smallest element is that another result is."""
    own, root = traced.accumulators[number], traced.results[number]
    if root.fn != "select" or own not in root.args[1:]:
        return None
    keeps = root.args[1] is own
    test, where = root.args[0], root.args[2 if keeps else 1]
    terms = [term for term in alternatives(test) if not (term.fn == "ne" and term.args[0] is term.args[1])]
    equal = [term for term in terms if _breaks_ties(term, own, where)]
    comparisons = [term for term in terms if term.fn in _LARGER | _SMALLER]
    if len(comparisons) != 1 or len(equal) + 1 != len(terms) or len(equal) > 1:
        return None
    (comparison,) = comparisons
    best = [k for k, value in enumerate(traced.accumulators) if k != number and value in comparison.args]
    if len(best) != 1:
        return None
    reduction = reduction_of(traced, best[0])
    element = next(value for value in comparison.args if value is not traced.accumulators[best[0]])
    if reduction is None or reduction.value is not element or int(own.number) in traced.used(where):
        return None
    wins = (comparison.fn in _LARGER) == (comparison.args[0] is (traced.accumulators[best[0]] if keeps else element))
    if wins != (reduction.combine == "max"):
        return None
    strict = comparison.fn in ("gt", "lt")
    first = bool(equal) if keeps and strict else strict or keeps
    if (equal and not strict) or not (equal or _ascends(where, traced)):
        return None
    return IndexOfBest(where, best[0], first)


def _ascends(where: Value, traced: TracedBody) -> bool:
    """Whether an index grows with the only loop that is summed up."""
    loops = [dim for dim, each in enumerate(traced.parallel) if not each and traced.sizes[dim] > 1]
    while where.fn in ("cast", "shift_left", "shift_right"):
        where = where.args[0]
    if where.fn == INDEX:
        return loops in ([int(where.number)], [])
    found = traced.operands[int(where.number)] if where.fn == OPERAND else None
    if found is None or isinstance(found.found, SSAValue | Empty) or len(loops) != 1:
        return False
    axes = [axis for axis, index in enumerate(found.map) if index.only == loops[0]]
    return len(axes) == 1 and bool((np.diff(found.found, axis=axes[0]) > 0).all())


def _breaks_ties(term: Value, own: Value, where: Value) -> bool:
    """`best == element and own < where`: of equal elements the one with the smaller index stays."""
    if term.fn != "bit_and" or {arg.fn for arg in term.args} != {"eq", "lt"}:
        return False
    less = next(arg for arg in term.args if arg.fn == "lt")
    return less.args[0] is own and less.args[1] is where
