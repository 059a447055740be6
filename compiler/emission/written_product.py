"""Emits products of two operands of which one is written to crossbars: its matrices, and the vectors that meet each."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from compiler.emission.emitter import Emitter
from compiler.emission.moves import dense, emit_move, moved, within
from compiler.emission.nest_loops import NestSpace, StripAccess
from compiler.emission.staging import HALVES
from compiler.emission.strip import Strip
from compiler.nests.written import Dims, WrittenMatrices, by_steps, matrices_of, points
from emu.isa.address import Address

Loops = list[tuple[int, int]]  # loop, dimension
At = list[tuple[int, int]]  # dimension, points
NEVER = (-1, -1)


@dataclass(frozen=True, slots=True)
class Rooms:
    """Scratch for what does not stand as crossbars take it: rows of a matrix; for each group a vector, and sums."""

    rows: Strip | None
    vector: Strip | None
    sums: Strip | None


def emit_written_product(emitter: Emitter, space: NestSpace, rooms: Rooms, groups: Sequence[int], writes: bool) -> None:
    """Append the instructions: the matrices take turns on `groups`, and are written there first if this `writes`.

    The accesses of the space are those of the operand that is written, of the other one, and of the result. Vectors of
    all matrices of a turn follow each other, so that their crossbars may work side by side.
    """
    space = space.ordered(2).merged()
    written, other, result = (access.strides for access in space.accesses)
    found = matrices_of(space.parallel, [step != 0 for step in written], [step != 0 for step in other])
    assert found is not None  # as of the whole product
    dims = replace(found, inner=by_steps(found.inner, other), columns=by_steps(found.columns, result))
    turn = _Turn(emitter, space, dims, rooms, writes)
    if points(space.sizes, dims.matrices) <= len(groups):
        every = product(*(range(space.sizes[dim]) for dim in dims.matrices))
        turn.emit(
            [(group, list(zip(dims.matrices, at, strict=True))) for group, at in zip(groups, every, strict=False)]
        )
        return
    longest = max(dims.matrices, key=lambda dim: space.sizes[dim])
    with _loops(emitter, space, [dim for dim in dims.matrices if dim != longest]) as loops:
        turns, rest = divmod(space.sizes[longest], len(groups))
        if turns:
            with emitter.section.loop(turns) if turns > 1 else nullcontext(-1) as loop:
                turn.emit([(group, [(longest, at)]) for at, group in enumerate(groups)], loops, (loop, longest))
        if rest:
            turn.emit([(group, [(longest, at)]) for at, group in enumerate(groups[:rest], turns * len(groups))], loops)


@contextmanager
def _loops(emitter: Emitter, space: NestSpace, dims: Sequence[int]) -> Generator[Loops]:
    with ExitStack() as stack:
        yield [(stack.enter_context(emitter.section.loop(space.sizes[dim])), dim) for dim in dims]


@dataclass(frozen=True, slots=True)
class _Turn:
    """Matrices that are on crossbars at the same time, and the vectors that are multiplied with them."""

    emitter: Emitter
    space: NestSpace
    dims: WrittenMatrices
    rooms: Rooms
    writes: bool

    def emit(
        self, matrices: Sequence[tuple[int, At]], loops: Sequence[tuple[int, int]] = (), again: tuple[int, int] = NEVER
    ) -> None:
        """Matrices by group, each `At` places of dimensions, in `loops`; `again`: a loop over as many along another."""
        loop, dim = again
        here = [[moved(access, at) for access in self.space.accesses] for _, at in matrices]
        if loop >= 0:
            far = [(loop, len(matrices) * access.strides[dim]) for access in self.space.accesses]
            here = [
                [replace(access, steps=(*access.steps, step)) for access, step in zip(accesses, far, strict=True)]
                for accesses in here
            ]
        if self.writes:
            for (group, _), (written, _, _) in zip(matrices, here, strict=True):
                self._write(within(written, self._all, loops), group)
        with _loops(self.emitter, self.space, self.dims.vectors) as inner:
            around = [*loops, *inner]
            for place, ((group, _), (_, other, result)) in enumerate(zip(matrices, here, strict=True)):
                vector, sums = within(other, self.dims.inner, around), within(result, self.dims.columns, around)
                self._multiply(vector, sums, group, place)

    @property
    def _all(self) -> Dims:
        return (*self.dims.inner, *self.dims.columns)

    def _sizes(self, dims: Dims) -> tuple[int, ...]:
        return tuple(self.space.sizes[dim] for dim in dims)

    def _write(self, matrix: StripAccess, group: int) -> None:
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

    def _multiply(self, vector: StripAccess, sums: StripAccess, group: int, place: int) -> None:
        """One vector; those of other places have scratch of their own, so that they need not wait for each other."""
        spec = self.emitter.groups[group].spec
        rows, columns = self._sizes(self.dims.inner), self._sizes(self.dims.columns)
        source, target = vector, sums
        if self.rooms.vector is not None:
            source = dense(self.rooms.vector, rows, place * spec.rows * spec.input.size)
            emit_move(self.emitter, rows, source, vector)
        if self.rooms.sums is not None:
            target = dense(self.rooms.sums, columns, place * spec.cols * spec.output.size)
        operands = target.at([], -1), source.at([], -1)
        self.emitter.section.emit("mvmul", (spec.input, spec.output), operands, group=group)
        if self.rooms.sums is not None:
            emit_move(self.emitter, columns, sums, target)
