"""Rules for operators that give elements other places, or drop or repeat some along axes that do not grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from compiler.caches.facts import Tail
from compiler.caches.lengths import Length, Lengths
from compiler.caches.step import Rule, Step


def transpose(step: Step) -> None:
    """The axes change places."""
    x = step.operand(0)
    order = step.integers("perm", range(len(step.dims(x)))[::-1])
    step.keep([{place: step.tail(x, axis) for place, axis in enumerate(order)}])


def reshape(step: Step) -> None:
    """Reshape, Flatten, Squeeze, Unsqueeze: each axis that grows stays one by itself."""
    x, output = step.operand(0), step.outputs[0]
    step.check_straight(1)
    if step.node.op_type == "Squeeze" and not step.has(1) and step.grown(x):
        step.refuse("drops all axes of one element, of which one that grows may be one: name the axes")
    target = dict(_apart(step.dims(output)))
    kept: dict[int, Tail] = {}
    for axis, before in _apart(step.dims(x)):
        place = next((place for place, found in target.items() if found == before), None)
        if place is None:
            step.refuse(f"puts axis {axis} of '{step.inputs[0]}' together with others")
        kept[place] = step.tail(x, axis)
    if len(kept) != len(target):
        step.refuse("makes an axis that grows out of others")
    shape = step.writer.numbers(step.shape(output))
    step.emit("Reshape", [x, shape], output)
    step.learn([kept])


def _apart(dims: Lengths) -> list[tuple[int, tuple[Length, int, tuple[Length, ...]]]]:
    """Each axis that grows: its length, and the product of the axes before it, by which it is known again."""
    grown = [axis for axis, length in enumerate(dims) if length.grows]
    return [
        (
            axis,
            (
                dims[axis],
                prod(length.fixed for length in dims[:axis] if not length.grows),
                tuple(length for length in dims[:axis] if length.grows),
            ),
        )
        for axis in grown
    ]


def expand(step: Step) -> None:
    """To the shape with room; an axis that grows may come from one element."""
    x, output = step.operand(0), step.outputs[0]
    step.check_straight(1)
    own, dims = step.dims(x), step.dims(output)
    offset = len(dims) - len(own)
    tails = {axis: step.tail(x, axis - offset) for axis in step.grown(output)
             if axis >= offset and own[axis - offset].grows}  # fmt: skip
    for axis, tail in tails.items():
        if own[axis - offset] != dims[axis]:
            step.refuse(f"gives axis {axis} another length")
        tails[axis] = tail
    step.emit("Expand", [x, step.writer.numbers(step.shape(output))], output)
    step.learn([tails])


def tile(step: Step) -> None:
    """As often as the shape with room says, along axes that do not grow themselves."""
    x, output = step.operand(0), step.outputs[0]
    step.check_straight(1)
    own, dims = step.dims(x), step.dims(output)
    if any((length.grows and length != dims[axis]) or (dims[axis].grows and length.fixed != 1 and not length.grows)
           for axis, length in enumerate(own)):  # fmt: skip
        step.refuse("repeats what grows")
    times = [whole // part for whole, part in zip(step.shape(output), step.shape(x), strict=True)]
    step.emit("Tile", [x, step.writer.numbers(times)], output)
    step.learn([{axis: step.tail(x, axis) for axis in step.grown(output) if own[axis].grows}])


def split(step: Step) -> None:
    """Into parts along an axis that does not grow."""
    x = step.operand(0)
    axis = step.axis(step.integer("axis", 0), len(step.dims(x)))
    _check_other(step, x, [axis])
    if step.has(1):
        step.constant(1, "sizes")
    tails = {place: step.tail(x, place) for place in step.grown(x)}
    step.keep([tails] * len(step.outputs))


def pad(step: Step) -> None:
    """Along axes that do not grow."""
    x = step.operand(0)
    rank, pads = len(step.dims(x)), step.constant(1, "pads")
    axes = [step.axis(axis, rank) for axis in step.constant(3, "axes")] if step.has(3) else list(range(rank))
    for place in range(len(axes)):
        if pads[place] or pads[place + len(axes)]:
            _check_other(step, x, [axes[place]])
    step.keep(inputs={1: step.writer.numbers(pads)})


def normalised(step: Step) -> None:
    """Along the last axes, which must not grow."""
    x = step.operand(0)
    rank = len(step.dims(x))
    _check_other(step, x, range(step.axis(step.integer("axis", -1), rank), rank))
    step.keep()


def cumulative(step: Step) -> None:
    """CumSum: what is behind the end comes after all that counts, or is zero if it comes first."""
    x = step.operand(0)
    axis = step.axis(step.constant(1, "axes")[0], len(step.dims(x)))
    grows = step.dims(x)[axis].grows
    if grows and step.integer("reverse", 0) and step.tail(x, axis) != Tail.ZERO:
        x = step.masked(x, axis, "zero")
    step.keep(inputs={0: x})


def _check_other(step: Step, name: str, axes: Sequence[int]) -> None:
    """Refuse a node that works along an axis that grows."""
    for axis in axes:
        if step.dims(name)[axis].grows:
            step.refuse(f"works along axis {axis}, which grows")


RULES: Mapping[str, Rule] = {
    "Transpose": transpose,
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze"), reshape),
    "Expand": expand,
    "Tile": tile,
    "Split": split,
    "Pad": pad,
    **dict.fromkeys(("LayerNormalization", "RMSNormalization"), normalised),
    "CumSum": cumulative,
}
