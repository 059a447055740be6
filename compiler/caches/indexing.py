"""Rules for operators that take a part of an axis: with an end, or a place, that moves with every step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from compiler.basis.weights import Array
from compiler.caches.facts import Tail
from compiler.caches.lengths import Length
from compiler.caches.step import Rule, Step


def slices(step: Step) -> None:
    """Slice: the whole of an axis that grows, its end, or a part of constant size that moves with every step."""
    x = step.operand(0)
    dims, output = step.dims(x), step.dims(step.outputs[0])
    starts, ends = step.rows(1, "starts"), step.rows(2, "ends")
    axes = step.constant(3, "axes") if step.has(3) else list(range(len(starts[0])))
    strides = step.constant(4, "steps") if step.has(4) else [1] * len(axes)
    tails = {axis: step.tail(x, axis) for axis in step.grown(x)}
    now = x
    for place, axis in enumerate(step.axis(axis, len(dims)) for axis in axes):
        ranges = [
            range(*slice(start[place], end[place], strides[place]).indices(dims[axis].at(position)))
            for position, start, end in zip(step.room.positions, starts, ends, strict=True)
        ]
        _check(step, ranges, output[axis], axis)
        now = _taken(step, now, axis, ranges, output[axis])
        if output[axis] != dims[axis]:  # what is dropped of it may stand behind its end
            tails[axis] = Tail.ANY
    step.emit("Identity", [now], step.outputs[0])
    step.learn([tails])


def _check(step: Step, ranges: Sequence[range], length: Length, axis: int) -> None:
    """Refuse a part whose size is not what the result has at all positions."""
    for position, part in zip(step.room.positions, ranges, strict=True):
        if len(part) != length.at(position):
            step.refuse(
                f"takes {len(part)} elements of axis {axis} when the caches hold {position} tokens, and not"
                f" {length.at(position)}"
            )


def _taken(step: Step, now: str, axis: int, ranges: Sequence[range], length: Length) -> str:
    """The part of one axis of `now`."""
    own, writer = step.dims(step.inputs[0])[axis], step.writer
    starts, stride = [part.start for part in ranges], ranges[0].step
    if not own.grows and len(set(ranges)) == 1:
        bounds = ([starts[0]], [ranges[0].stop if ranges[0].stop >= 0 else -own.fixed - 1], [axis], [stride])
        return step.emit("Slice", [now, *map(writer.numbers, bounds)])
    if length.grows:
        if set(starts) != {0} or stride != 1:
            step.refuse(f"takes a part of axis {axis}, which grows, that does not begin with the first token")
        room = step.room.of(length)
        if own.grows or room is None:
            return now
        if own.fixed < room:
            step.refuse(f"takes a part of axis {axis}, whose {own.fixed} elements are fewer than the caches hold")
        return step.emit("Slice", [now, *map(writer.numbers, ([0], [room], [axis]))])
    moves = {after - before for before, after in pairwise(starts)}
    base = np.array(ranges[0], np.int64)
    if not length.fixed or not moves or moves == {0}:
        return step.emit("Gather", [now, writer.constant(base)], axis=axis)
    if moves != {1}:
        step.refuse(f"takes a part of axis {axis} that moves by {' or '.join(map(str, sorted(moves)))} with each token")
    places = step.emit("Add", [writer.position, writer.constant(base)])
    return step.emit("Gather", [now, places], axis=axis)


def gather(step: Step) -> None:
    """Gather: indices into an axis that grows count from its end if they are negative, and trap behind it."""
    x, places = step.operand(0), step.operand(1)
    axis = step.axis(step.integer("axis", 0), len(step.dims(x)))
    rank = len(step.dims(places))
    for place in step.grown(places):
        if step.tail(places, place) != Tail.ZERO:
            places = step.masked(step.inputs[1], place, "zero", places)
    if step.dims(x)[axis].grows:
        places = _within(step, places, step.dims(x)[axis], step.shape(x)[axis])
    tails = {
        place if place < axis else place + rank - 1: step.tail(x, place) for place in step.grown(x) if place != axis
    }
    step.keep([tails], inputs={0: x, 1: places})


def _within(step: Step, places: str, length: Length, room: int) -> str:
    """Indices of an axis with room: those outside of what is there become ones that trap."""
    constant, writer = step.static(step.inputs[1]), step.writer
    end = writer.end(length)
    if not step.dims(step.inputs[1]):
        end = step.emit("Squeeze", [end])
    wide = step.emit("Cast", [places], to=7)
    if constant is None or _some(constant < 0):
        lowest = step.emit("Less", [wide, writer.constant(np.array(0))])
        wide = step.emit("Where", [lowest, step.emit("Add", [wide, end]), wide])
    outside = step.emit("Less", [wide, writer.constant(np.array(0))])
    late = step.emit("GreaterOrEqual", [wide, end])
    return step.emit("Where", [step.emit("Or", [outside, late]), writer.constant(np.array(room)), wide])


def _some(found: Array) -> bool:
    return bool(np.any(found))


def scatter_nd(step: Step) -> None:
    """ScatterND: where it writes all elements, in order, as exporters do it for an assignment to a whole mask."""
    dims, data = step.dims(step.inputs[0]), step.inputs[0]
    output, survey = step.outputs[0], step.rewriting.survey
    rows = step.rows(1, "indices") if survey.values(step.inputs[1]) is not None else []
    rank = len(dims)
    for position, row in zip(step.room.positions, rows, strict=False):
        sizes = [length.at(position) for length in dims]
        if row != np.indices(sizes).reshape(rank, -1).T.reshape(-1).tolist():
            rows = []
            break
    new = step.operand(2)
    if not rows or step.text("reduction") not in ("", "none") or len(step.dims(new)) != rank:
        step.refuse(f"writes into parts of '{data}'")
    tails = {axis: step.tail(new, axis) for axis in step.grown(output)}
    step.emit("Identity", [new], output)
    step.learn([tails])


RULES: Mapping[str, Rule] = {"Slice": slices, "Gather": gather, "ScatterND": scatter_nd}
