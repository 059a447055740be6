"""Emits a structured nest on strips: start values of a reduction, loops, one instruction per step of the body."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from compiler.emission.emitter import Emitter
from compiler.emission.nest_loops import NestSpace, StripAccess
from compiler.emission.nest_steps import CHUNK, BodyPlan, instruction
from compiler.emission.strip import Strip
from compiler.nests.body import NestBody
from compiler.nests.contraction import Contraction, role
from compiler.nests.functions import COMBINES, SCALAR_FUNCTIONS
from emu.isa.address import Address
from emu.isa.dtypes import DType


@dataclass(frozen=True, slots=True)
class NestParts:
    """A nest ready for emission.

    The accesses of `space` are those of the operands, of the numbers and indices of the plan, then the result. `slots`
    are the vectors of scratch, `partial` holds one element of a reduction, `start` the value that it begins with.
    """

    space: NestSpace
    body: NestBody
    plan: BodyPlan
    types: tuple[DType, ...]  # of the operands
    combine: str
    slots: Sequence[Strip]
    partial: Strip | None
    start: Strip | None
    contraction: Contraction | None = None

    @property
    def dtype(self) -> DType:
        """The type of the result."""
        return self.body.dtype(self.types)


def emit_nest(emitter: Emitter, parts: NestParts) -> None:
    """Append the instructions of a nest whose accesses do not wrap."""
    if parts.contraction is not None:
        _emit_products(emitter, parts, parts.contraction)
        return
    space = parts.space.ordered(len(parts.space.accesses) - 1).merged()
    vector = space.vector(bool(parts.combine) and bool(COMBINES[parts.combine].vector))
    size = space.sizes[vector] if vector >= 0 else 1
    reduces = vector >= 0 and not space.parallel[vector]
    whole = reduces and all(p or dim == vector for dim, p in enumerate(space.parallel))
    chunk = size if not parts.plan.slots else min(size, CHUNK)
    if parts.combine and not (whole and chunk == size):
        _emit_start(emitter, space, parts)
        whole = False
    loops = [dim for dim in range(len(space.sizes)) if dim != vector]
    for begin, turns, length in _chunks(size, chunk if reduces else _even(size, chunk)):
        with ExitStack() as stack:
            counters = [
                (stack.enter_context(emitter.section.loop(space.sizes[dim])), dim)
                for dim in loops
                if space.parallel[dim]
            ]
            counters += [
                (stack.enter_context(emitter.section.loop(space.sizes[dim])), dim)
                for dim in loops
                if not space.parallel[dim]
            ]
            inner = stack.enter_context(emitter.section.loop(turns)) if turns > 1 else -1
            _Point(emitter, parts, space, counters, vector, (begin, inner, length)).emit(reduces, whole)


def _emit_products(emitter: Emitter, parts: NestParts, kind: Contraction) -> None:
    """A matrix product along the longest dimensions that are rows, columns and summed up, in loops over all others."""
    space = parts.space.ordered(len(parts.space.accesses) - 1).merged()
    left, right, result = space.accesses[0], space.accesses[1], space.accesses[-1]
    found = {"row": -1, "column": -1, "inner": -1}
    for dim, size in enumerate(space.sizes):
        name = role(space.parallel[dim], left.strides[dim] != 0, right.strides[dim] != 0)
        if name not in found:
            continue
        if found[name] < 0 or size > space.sizes[found[name]]:
            found[name] = dim
    row, column, inner = found.values()
    loops = [dim for dim in range(len(space.sizes)) if dim not in found.values()]
    several = inner < 0 or any(not space.parallel[dim] for dim in loops)
    if several:
        _emit_start(emitter, space, parts)
    m, n, k = (space.sizes[dim] if dim >= 0 else 1 for dim in (row, column, inner))
    with ExitStack() as stack:
        order = sorted(loops, key=lambda dim: not space.parallel[dim])
        counters = [(stack.enter_context(emitter.section.loop(space.sizes[dim])), dim) for dim in order]
        operands = (
            result.matrix(counters, row, column),
            left.matrix(counters, row, inner),
            right.matrix(counters, inner, column),
        )
        types, flags = (kind.left, kind.right, kind.result), ("acc",) if several else ()
        emitter.section.emit("mmul", types, operands, flags, m=m, k=k, n=n)


def _even(size: int, most: int) -> int:
    """The largest part, of `most` elements at most, that a vector can be cut into evenly; `most` if all are small."""
    parts = range(-(-size // most), -(-4 * size // most) + 1)
    return next((size // count for count in parts if size % count == 0), most)


def _chunks(size: int, chunk: int) -> list[tuple[int, int, int]]:
    """(begin, turns, length) of the parts of a vector."""
    turns, rest = divmod(size, chunk)
    return [(0, turns, chunk), *([(turns * chunk, 1, rest)] if rest else [])]


def _emit_start(emitter: Emitter, space: NestSpace, parts: NestParts) -> None:
    """Fill the result with the value that a reduction begins with."""
    assert parts.start is not None  # of every reduction
    result = space.accesses[-1]
    kept = tuple(dim for dim, parallel in enumerate(space.parallel) if parallel)
    target = StripAccess(result.strip, tuple(result.strides[d] for d in kept), result.row, result.offset, result.steps)
    fill = NestSpace(tuple(space.sizes[d] for d in kept), (True,) * len(kept), (target,)).ordered(0).merged()
    vector = fill.vector(reductions=False)
    with ExitStack() as stack:
        loops = [
            (stack.enter_context(emitter.section.loop(size)), dim)
            for dim, size in enumerate(fill.sizes)
            if dim != vector
        ]
        operands = fill.accesses[0].at(loops, vector), parts.start.at(stride=0)
        emitter.section.emit("vmv", (parts.dtype,), operands, n=fill.sizes[vector] if vector >= 0 else 1)


class _Point:
    """The instructions inside of all loops."""

    def __init__(
        self,
        emitter: Emitter,
        parts: NestParts,
        space: NestSpace,
        counters: Sequence[tuple[int, int]],
        vector: int,
        part: tuple[int, int, int],
    ) -> None:
        self.emitter, self.parts, self.space = emitter, parts, space
        self.counters, self.vector = counters, vector
        self.begin, self.inner, self.n = part

    def _access(self, access: StripAccess, vector: int | None = None) -> Address:
        along = self.vector if vector is None else vector
        if self.inner >= 0 and along >= 0:
            step = (self.inner, self.n * access.strides[along])
            access = StripAccess(access.strip, access.strides, access.row, access.offset, (*access.steps, step))
        return access.at(self.counters, along, self.begin if along >= 0 else 0)

    def _place(self, value: int) -> Address:
        kind, index = self.parts.plan.values[value]
        if kind == "slot":
            return self.parts.slots[index].at()
        if kind == "result":
            return self._access(self.space.accesses[-1])
        return self._access(self.space.accesses[index + (len(self.parts.types) if kind == "given" else 0)])

    def emit(self, reduces: bool, whole: bool) -> None:
        """Each step of the body; then the copy, or what puts a value together with those before it."""
        parts, section = self.parts, self.emitter.section
        types = parts.body.types(parts.types)
        for number, step in parts.plan.steps:
            name, suffixes = instruction(step, [types[arg] for arg in step.args])
            section.emit(name, suffixes, [self._place(number), *map(self._place, step.args)], n=self.n)
        last = len(types) - 1
        if not parts.combine:
            if parts.plan.values[last][0] != "result":
                self._copy(last)
            return
        combine, result, dtype = COMBINES[parts.combine], self.space.accesses[-1], (parts.dtype,)
        function = SCALAR_FUNCTIONS[combine.function].instruction
        if not reduces:
            at = self._access(result)
            section.emit(function, dtype, (at, at, self._place(last)), n=self.n)
        elif whole:
            section.emit(combine.vector, dtype, (self._access(result, -1), self._place(last)), n=self.n)
        else:
            assert parts.partial is not None  # of every reduction
            at, partial = self._access(result, -1), parts.partial.at()
            section.emit(combine.vector, dtype, (partial, self._place(last)), n=self.n)
            section.emit(function, dtype, (at, at, partial), n=1)

    def _copy(self, value: int) -> None:
        target, source = self._access(self.space.accesses[-1]), self._place(value)
        if target.stride == source.stride == 1:
            self.emitter.copy(target, source, self.n * self.parts.dtype.size)
        else:
            self.emitter.section.emit("vmv", (self.parts.dtype,), (target, source), n=self.n)
