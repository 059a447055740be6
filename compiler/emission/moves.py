"""Emits strided moves: elements of one access to another, in loops around the longest vector."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from compiler.emission.emitter import Emitter
from compiler.emission.nest_loops import NestSpace, StripAccess
from compiler.emission.strip import Strip


def emit_move(emitter: Emitter, sizes: Sequence[int], target: StripAccess, source: StripAccess) -> None:
    """Copy the elements of `source`, of a space of `sizes`, to those of `target`, of the same type."""
    space = NestSpace(tuple(sizes), (True,) * len(sizes), (target, source)).ordered(0).merged()
    vector = space.vector(reductions=False)
    count, dtype = space.sizes[vector] if vector >= 0 else 1, target.strip.dtype
    with ExitStack() as stack:
        loops = [
            (stack.enter_context(emitter.section.loop(size)), dim)
            for dim, size in enumerate(space.sizes)
            if dim != vector
        ]
        to, origin = (access.at(loops, vector) for access in space.accesses)
        if to.stride == origin.stride == 1:
            emitter.copy(to, origin, count * dtype.size)
        else:
            emitter.section.emit("vmv", (dtype,), (to, origin), n=count)


def within(access: StripAccess, dims: Sequence[int], loops: Sequence[tuple[int, int]]) -> StripAccess:
    """The access along `dims` alone, inside of `loops`, pairs (loop, dimension)."""
    steps = tuple((loop, access.strides[dim]) for loop, dim in loops)
    return replace(access, strides=tuple(access.strides[dim] for dim in dims), steps=(*access.steps, *steps))


def moved(access: StripAccess, by: Sequence[tuple[int, int]]) -> StripAccess:
    """The access where dimensions have advanced, each by so many points: pairs (dimension, points)."""
    return replace(access, offset=access.offset + sum(access.strides[dim] * count for dim, count in by))


def dense(strip: Strip, sizes: Sequence[int], offset: int = 0) -> StripAccess:
    """The access of a space of `sizes` to a strip that holds its points in order, from a byte `offset` on."""
    strides, step = list[int](), strip.word
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= size
    return StripAccess(strip, tuple(strides), 0, offset)
