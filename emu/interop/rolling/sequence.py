"""Code that is partly rolled: its rows in order, a loop as a row in front of its body."""

from __future__ import annotations

from collections.abc import Sequence as Columns
from dataclasses import dataclass, replace

import numpy as np

from emu.interop.rolling.fold import Fold
from emu.interop.rolling.interning import Interned
from emu.interop.rolling.repeats import Repeats
from emu.interop.rolling.rolled import MAX_DEPTH, Rolled
from emu.interop.rolling.row_numbers import row_numbers
from emu.program.limits import MAX_ADDRESS

_FAR = MAX_ADDRESS  # fields beyond it are kept fixed: no address, and differences of the others never overflow
_PIECE = 1 << 15  # rows that are checked at a time


@dataclass(frozen=True, eq=False)
class Sequence:
    """Rows [n]; those of loops have origin -1, number -1 and no values.

    Two rows with equal `shape` are the same row of a loop as far as all but affine fields go: fixed fields, steps per
    enclosing loop, and for loops their trips and lengths. `value` is linear in the affine fields (modulo 2**64), so
    that one subtraction tells if they may go in equal steps; what is rolled is verified with the fields themselves.
    """

    matrix: np.ndarray  # int64 [instructions, fields], as given
    moving: np.ndarray  # the fields that may be affine
    origin: np.ndarray  # the instruction whose fields are the base
    number: np.ndarray  # equal where the fixed fields are
    trips: np.ndarray  # 0: no loop
    end: np.ndarray  # of loops: index after the last row of the body; others: -1
    depth: np.ndarray  # enclosing loops
    steps: np.ndarray  # int32 [n, levels]: by enclosing loop, outermost first, a number of `vectors`; then -1
    shape: np.ndarray
    value: np.ndarray  # uint64
    shapes: Interned
    vectors: Interned  # the distinct steps of all moving fields per iteration; number 0 has none

    def __len__(self) -> int:
        return len(self.origin)

    @staticmethod
    def straight(matrix: np.ndarray, fixed: Columns[int]) -> Sequence:
        """Nothing rolled yet."""
        count, fields = matrix.shape
        affine = [field for field in range(fields) if field not in set(fixed)]
        moving = [field for field in affine if count and (matrix[:, field] != matrix[0, field]).any()]
        keys = [matrix[:, field] for field in fixed]
        value = np.zeros(count, np.uint64)
        random = np.random.default_rng(0)
        for field in moving:
            column = matrix[:, field]
            far = (column > _FAR) | (column < -_FAR)
            if far.any():
                keys.append(np.where(far, column, 0))
            value += column.astype(np.uint64) * (random.integers(1 << 63, dtype=np.uint64) | np.uint64(1))
        number = row_numbers(keys, count)
        vectors = Interned(np.int64)
        vectors.numbers(np.zeros((1, len(moving)), np.int64))
        return Sequence(
            matrix=matrix,
            moving=np.array(moving, np.int64),
            origin=np.arange(count),
            number=number,
            trips=np.zeros(count, np.int64),
            end=np.full(count, -1),
            depth=np.zeros(count, np.int64),
            steps=np.zeros((count, 0), np.int32),
            shape=number,
            value=value,
            shapes=Interned(np.int32, count),
            vectors=vectors,
        )

    def steps_of(self, start: int, period: int, trips: int) -> np.ndarray | None:
        """The steps of the moving fields [period, moving] of a repeat; None if it is none, or too deep."""
        body = slice(start, start + period)
        if self.depth[body].max() >= MAX_DEPTH:
            return None
        plain = self.origin[body] >= 0
        origin = self.origin[start : start + period * trips].reshape(trips, period)[:, plain]
        first = self._fields(origin[0])
        step = self._fields(origin[1]) - first
        together = max(1, _PIECE // period)
        for trip in range(2, trips, together):
            some = origin[trip : trip + together]
            counter = np.arange(trip, trip + len(some))
            if (self._fields(some) != first + counter[:, None, None] * step).any():
                return None
        steps = np.zeros((period, len(self.moving)), np.int64)
        steps[plain] = step
        return steps

    def _fields(self, origin: np.ndarray) -> np.ndarray:
        return self.matrix[origin[..., None], self.moving]

    def rolled(self) -> Rolled:
        """What it is now."""
        strides = np.zeros((len(self.vectors), self.matrix.shape[1]), np.int64)
        strides[:, self.moving] = self.vectors.rows(len(self.moving))
        base = self.matrix[self.origin] if len(self) else self.matrix.copy()  # of loops: anything
        base[self.origin < 0] = 0
        return Rolled(self.trips, self.end, base, np.maximum(self.steps, 0), strides)

    def wrapped(self, repeats: Repeats, steps: list[np.ndarray]) -> Sequence:
        """These repeats replaced by loops; `steps` [period, moving] of each."""
        fold = Fold.of(repeats, len(self))
        inside = np.flatnonzero(fold.owner >= 0)
        level = self.depth[repeats.start]  # of the new loops
        depth = fold.column(self.depth, level) + (fold.owner >= 0)
        ends = np.where(self.end >= 0, fold.moved(np.maximum(self.end, 0)), -1)
        no_steps = np.where(np.arange(self.steps.shape[1]) < level[:, None], np.int32(0), np.int32(-1))
        levels = fold.column(self.steps, no_steps)
        if int(depth.max()) > levels.shape[1]:
            levels = np.pad(levels, ((0, 0), (0, 1)), constant_values=-1)
        vectors = self.vectors.numbers(np.concatenate(steps))
        levels[inside] = _inserted(levels[inside], level[fold.owner[inside]], vectors)
        wrapped = replace(
            self,
            origin=fold.column(self.origin, -1),
            number=fold.column(self.number, -1),
            trips=fold.column(self.trips, repeats.trips),
            end=fold.column(ends, fold.moved(repeats.start + repeats.period)),
            depth=depth,
            steps=levels,
            shape=fold.column(self.shape, 0),
            value=fold.column(self.value, 0),
        )
        wrapped.name_shapes(inside)
        return wrapped

    def name_shapes(self, inside: np.ndarray) -> None:
        """Renew the shapes of these rows and of all loops, whose lengths change with what is in them."""
        changed = np.union1d(inside, np.flatnonzero(self.trips))
        keys = np.full((len(changed), MAX_DEPTH + 3), -1, np.int32)
        keys[:, 0] = self.number[changed]
        keys[:, 1] = self.trips[changed]
        keys[:, 2] = np.where(self.trips[changed] > 0, self.end[changed] - changed, 0)
        keys[:, 3 : 3 + self.steps.shape[1]] = self.steps[changed]
        self.shape[changed] = self.shapes.numbers(keys)


def _inserted(levels: np.ndarray, level: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Rows of `levels` with one entry more, which becomes the one at `level`; the last one falls off."""
    later = np.arange(levels.shape[1]) > level[:, None]
    shifted = np.concatenate((levels[:, :1], levels[:, :-1]), axis=1)
    found = np.where(later, shifted, levels)
    found[np.arange(len(levels)), level] = new
    return found
