"""Rules for operators that put the elements of an axis together: behind its end stands what changes nothing."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.caches.facts import Tail
from compiler.caches.step import Rule, Step

_NEUTRAL = {
    **dict.fromkeys(("ReduceSum", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceMean"), "zero"),
    "ReduceProd": "one",
    **dict.fromkeys(("ReduceMax", "ReduceLogSumExp", "ArgMax"), "lowest"),
    **dict.fromkeys(("ReduceMin", "ArgMin"), "highest"),
}


def softmax(step: Step) -> None:
    """Softmax, LogSoftmax: minus infinity behind the end makes zero, or stays."""
    x = step.operand(0)
    axis = step.axis(step.integer("axis", -1), len(step.dims(x)))
    tails: dict[int, Tail] = {}
    if step.dims(x)[axis].grows:
        x = step.masked(x, axis, "lowest")
        tails[axis] = Tail.ZERO if step.node.op_type == "Softmax" else Tail.ANY
    step.keep([tails], inputs={0: x})


def reduction(step: Step) -> None:
    """A reduction, of which the mean divides by the length."""
    x = step.operand(0)
    rank = len(step.dims(x))
    if step.has(1):
        axes = step.constant(1, "axes")
    else:
        axes = step.integers("axes", [] if step.integer("noop_with_empty_axes", 0) else range(rank))
    if not axes and not step.integer("noop_with_empty_axes", 0):
        axes = list(range(rank))
    _reduce(step, x, [step.axis(axis, rank) for axis in axes])


def _reduce(step: Step, x: str, axes: list[int]) -> None:
    grown = [axis for axis in step.grown(x) if axis in axes]
    if len(grown) > 1:
        step.refuse("reduces two axes that grow")
    if not grown:
        step.keep()
        return
    (axis,) = grown
    if _NEUTRAL[step.node.op_type] != "zero" or step.tail(x, axis) != Tail.ZERO:
        x = step.masked(x, axis, _NEUTRAL[step.node.op_type])
    if step.node.op_type == "ReduceMean":
        _mean(step, x, axis, axes)
    else:
        step.keep(inputs={0: x})


def _mean(step: Step, x: str, axis: int, axes: list[int]) -> None:
    """The sum over `axes`, divided by how many elements there are."""
    others = 1
    for other in axes:
        others *= 1 if other == axis else step.dims(step.inputs[0])[other].fixed
    total = step.emit("ReduceSum", [x, step.writer.numbers(axes)], keepdims=step.integer("keepdims", 1))
    count = step.writer.end(step.dims(step.inputs[0])[axis])
    if others != 1:
        count = step.emit("Mul", [count, step.writer.numbers([others])])
    if not step.dims(step.outputs[0]):
        count = step.emit("Squeeze", [count])
    kind = step.emit("Cast", [count], to=step.rewriting.survey.kinds[step.inputs[0]])
    step.emit("Div", [total, kind], step.outputs[0])
    step.learn()


def arg(step: Step) -> None:
    """ArgMax, ArgMin: the first of the best; the last may be behind the end."""
    x = step.operand(0)
    axis = step.axis(step.integer("axis", 0), len(step.dims(x)))
    if step.dims(x)[axis].grows and step.integer("select_last_index", 0):
        step.refuse("takes the last of several places along an axis that grows")
    _reduce(step, x, [axis])


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("Softmax", "LogSoftmax"), softmax),
    **{name: arg if name.startswith("Arg") else reduction for name in _NEUTRAL},
}
