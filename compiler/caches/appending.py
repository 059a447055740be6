"""The rule for Concat: along an axis that grows, new elements are put behind those that are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compiler.caches.facts import joined
from compiler.caches.step import Rule, Step


def concat(step: Step) -> None:
    """Along other axes the operands stay beside each other."""
    names = [step.operand(index) for index in range(len(step.inputs))]
    output = step.outputs[0]
    axis = step.axis(step.integer("axis", 0), len(step.dims(output)))
    if not step.dims(output)[axis].grows:
        tails = {place: joined(step.tail(name, place) for name in names) for place in step.grown(output)}
        step.keep([tails])
        return
    append(step, names, axis)


def append(step: Step, names: list[str], axis: int) -> None:
    """Put all but the first of `names` behind the end of the first, which has the room for it."""
    output, old = step.outputs[0], names[0]
    first = step.dims(old)[axis]
    if not first.grows or any(step.dims(name)[axis].grows for name in names[1:]):
        step.refuse(f"puts what grows along axis {axis} somewhere else than in front of what is new")
    room = step.shape(output)
    if step.shape(old) != room:
        step.refuse(f"makes another room of '{step.inputs[0]}'")
    tails = {place: joined(step.tail(name, place) for name in names if step.dims(name)[place].grows)
             for place in step.grown(output)}  # fmt: skip
    tails[axis] = step.tail(old, axis)
    new = step.emit("Concat", names[1:], axis=axis) if len(names) > 2 else names[-1]
    if len(names) == 1:
        step.emit("Identity", [old], output)
    else:
        total = sum(step.dims(name)[axis].fixed for name in names[1:])
        shape = [*room[:axis], total, *room[axis + 1 :]]
        put_behind(step, old, new, first.fixed, shape, axis, output)
    step.learn([tails])


def put_behind(step: Step, old: str, new: str, first: int, shape: Sequence[int], axis: int, output: str) -> None:
    """`new` elements of `shape` in `old`, from position + `first` on along `axis`."""
    places = step.writer.places(first, shape, axis)
    step.emit("ScatterElements", [old, places, new], output, axis=axis)


RULES: Mapping[str, Rule] = {"Concat": concat}
