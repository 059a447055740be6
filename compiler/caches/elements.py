"""Rules for operators on elements: those in front of the end see no others; what is behind it is followed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from onnx import TensorProto

from compiler.caches.facts import Tail, content, joined
from compiler.caches.step import Rule, Step
from compiler.frontend.operators import conversion, elementwise, pointwise

_OF_ZERO = ("Abs", "Ceil", "Floor", "Neg", "Relu", "Round", "Sign", "Sqrt", "Tanh", "Erf", "Sin", "LeakyRelu", "Sum")
_FINITE = ("Abs", "Ceil", "Floor", "Neg", "Relu", "Round", "Sign", "Tanh", "Erf", "Sigmoid")  # of finite elements
_COPIES = ("Identity", "Cast", "CastLike", "Dropout")
_WIDE = (TensorProto.FLOAT, TensorProto.DOUBLE)  # what is finite stays so as these


def element_wise(step: Step) -> None:
    """Operands are aligned at their last axes."""
    names = [step.operand(index) if name else "" for index, name in enumerate(step.inputs)]
    output = step.outputs[0]
    dims, tails = step.dims(output), dict[int, Tail]()
    for axis in step.grown(output):
        found = [_tail(step, name, axis - len(dims), len(dims)) for name in names if name]
        tails[axis] = _result(step, found)
    for name in filter(None, names):
        own = step.dims(name)
        if any(own[axis].grows and own[axis] != dims[axis + len(dims) - len(own)] for axis in range(len(own))):
            step.refuse("has operands of different lengths")
    step.keep([tails] * len(step.outputs))


def _tail(step: Step, name: str, from_end: int, rank: int) -> Tail:
    """What an operand has behind the end of an axis of the result, which is counted from the last."""
    dims = step.dims(name)
    place = from_end + len(dims)
    if place >= 0 and dims[place].grows:
        return step.tail(name, place)
    return content(step.static(name))


def _result(step: Step, tails: list[Tail]) -> Tail:
    """What the operator makes of what its operands have there."""
    kind = step.node.op_type
    if kind in _COPIES:
        narrow = kind != "Identity" and step.rewriting.survey.kinds.get(step.outputs[0]) not in _WIDE
        return Tail.ANY if narrow and tails[0] == Tail.FINITE else tails[0]
    if kind == "Where":
        return joined(tails[1:])
    if kind in ("Mul", "And"):
        return Tail.ZERO if Tail.ZERO in tails and Tail.ANY not in tails else Tail.ANY
    if kind == "Div":
        divisor = step.static(step.inputs[1])
        safe = divisor is not None and bool(np.all(divisor)) and not np.any(np.isnan(divisor))
        return Tail.ZERO if safe and tails[0] == Tail.ZERO else Tail.ANY
    if kind in ("IsNaN", "IsInf"):
        return Tail.ZERO if joined(tails) < Tail.ANY else Tail.ANY
    if kind in _OF_ZERO and joined(tails) == Tail.ZERO:
        return Tail.ZERO
    return Tail.FINITE if kind in _FINITE and joined(tails) == Tail.FINITE else Tail.ANY


def _whole_tensor(rule: Callable[[Step], None]) -> Rule:
    """The rule, if one scale serves all elements."""

    def checked(step: Step) -> None:
        if any(step.has(index) and any(length.grows or length.fixed != 1 for length in step.dims(step.inputs[index]))
               for index in (1, 2)):  # fmt: skip
            step.refuse("has scales for parts of a tensor")
        rule(step)

    return checked


RULES: Mapping[str, Rule] = {
    **dict.fromkeys((*pointwise.ROWS, *elementwise.OPERATORS, *conversion.OPERATORS, "Where"), element_wise),
    **dict.fromkeys(("QuantizeLinear", "DequantizeLinear"), _whole_tensor(element_wise)),
}
