"""Emits products of two operands of which one is written to crossbars: its matrices, and the vectors that meet each."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from compiler.emission.emitter import Emitter
from compiler.emission.moves import dense, emit_move, moved, within
from compiler.emission.nest_loops import Access, Space
from compiler.emission.strip import Strip
from compiler.nests.written import Dims, Matrices, by_steps, matrices_of, points
from compiler.segmenting.staging import HALVES
from emu.isa.address import Address

Loops = list[tuple[int, int]]  # loop, dimension


@dataclass(frozen=True, slots=True)
class Rooms:
    """Scratch for what does not stand as crossbars take it: rows of a matrix, a vector, a vector of sums."""

    rows: Strip | None
    vector: Strip | None
    sums: Strip | None


def emit_written_product(emitter: Emitter, space: Space, rooms: Rooms, groups: Sequence[int], writes: bool) -> None:
    """Append the instructions: the matrices take turns on `groups`, and are written there first if this `writes`.

    The accesses of the space are those of the operand that is written, of the other one, and of the result.
    """
    space = space.ordered(2).merged()
    written, other, result = (access.strides for access in space.accesses)
    found = matrices_of(space.parallel, [step != 0 for step in written], [step != 0 for step in other])
    assert found is not None  # as of the whole product
    dims = replace(found, inner=by_steps(found.inner, other), columns=by_steps(found.columns, result))
    one = _Matrix(emitter, space, dims, rooms, writes)
    if points(space.sizes, dims.matrices) <= len(groups):
        every = product(*(range(space.sizes[dim]) for dim in dims.matrices))
        for group, place in zip(groups, every, strict=False):
            one.emit(group, [], list(zip(dims.matrices, place, strict=True)))
        return
    longest = max(dims.matrices, key=lambda dim: space.sizes[dim])
    with _loops(emitter, space, [dim for dim in dims.matrices if dim != longest]) as loops:
        turns, rest = divmod(space.sizes[longest], len(groups))
        for first, count, used in ((0, turns, groups), (turns * len(groups), 1, groups[:rest])):
            with ExitStack() as stack:
                turn = stack.enter_context(emitter.section.loop(count)) if used and count > 1 else -1
                for place, group in enumerate(used if count else ()):
                    one.emit(group, loops, [(longest, first + place)], (turn, longest, len(groups)))


@contextmanager
def _loops(emitter: Emitter, space: Space, dims: Sequence[int]) -> Generator[Loops]:
    with ExitStack() as stack:
        yield [(stack.enter_context(emitter.section.loop(space.sizes[dim])), dim) for dim in dims]


NO_TURN = (-1, -1, 0)


@dataclass(frozen=True, slots=True)
class _Matrix:
    """One matrix, and the vectors that are multiplied with it."""

    emitter: Emitter
    space: Space
    dims: Matrices
    rooms: Rooms
    writes: bool

    def emit(
        self, group: int, loops: Loops, at: Sequence[tuple[int, int]], turn: tuple[int, int, int] = NO_TURN
    ) -> None:
        """The matrix `at` these places of dimensions, in `loops`; `turn`: a loop, a dimension, its points per turn."""
        loop, dim, step = turn
        accesses = [moved(access, at) for access in self.space.accesses]
        if loop >= 0:
            accesses = [
                replace(access, steps=(*access.steps, (loop, step * access.strides[dim]))) for access in accesses
            ]
        written, other, result = accesses
        if self.writes:
            self._write(within(written, self._all, loops), group)
        with _loops(self.emitter, self.space, self.dims.vectors) as inner:
            around = [*loops, *inner]
            self._multiply(within(other, self.dims.inner, around), within(result, self.dims.columns, around), group)

    @property
    def _all(self) -> Dims:
        return (*self.dims.inner, *self.dims.columns)

    def _sizes(self, dims: Dims) -> tuple[int, ...]:
        return tuple(self.space.sizes[dim] for dim in dims)

    def _write(self, matrix: Access, group: int) -> None:
        """Rows as they stand, or through scratch, half by half: one is filled while the other one is written."""
        room, sizes = self.rooms.rows, self._sizes(self._all)
        rows = prod(self._sizes(self.dims.inner))
        if room is None:
            self._write_rows(matrix.at([], -1), group, 0, rows)
            return
        half, each = room.nbytes // HALVES, prod(sizes[1:]) * room.word  # bytes of one place of the outermost dimension
        most, below = half // each, rows // sizes[0]
        for number, first in enumerate(range(0, sizes[0], most)):
            count = min(most, sizes[0] - first)
            held = (count, *sizes[1:])
            target = dense(room, held, number % HALVES * half)
            emit_move(self.emitter, held, target, moved(matrix, [(0, first)]))
            self._write_rows(target.at([], -1), group, first * below, count * below)

    def _write_rows(self, source: Address, group: int, first: int, rows: int) -> None:
        spec = self.emitter.groups[group].spec
        self.emitter.section.emit("xbwrite", (spec.weight,), (source,), group=group, row=first, rows=rows)

    def _multiply(self, vector: Access, sums: Access, group: int) -> None:
        spec = self.emitter.groups[group].spec
        rows, columns = self._sizes(self.dims.inner), self._sizes(self.dims.columns)
        source, target = vector, sums
        if self.rooms.vector is not None:
            source = dense(self.rooms.vector, rows)
            emit_move(self.emitter, rows, source, vector)
        if self.rooms.sums is not None:
            target = dense(self.rooms.sums, columns)
        operands = target.at([], -1), source.at([], -1)
        self.emitter.section.emit("mvmul", (spec.input, spec.output), operands, group=group)
        if self.rooms.sums is not None:
            emit_move(self.emitter, columns, sums, target)
