"""Kernel `concat`: boxes of tiles placed into one tile; what nothing covers is filled with one number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import Array, WeightStore
from compiler.dialects.kernel import Shape
from compiler.dialects.parts import PartsAttr, parts
from compiler.dialects.rows import Rows
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import Strip, blocks
from compiler.kernels.axis_cut import AxisCut, same_channels
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap
from compiler.kernels.shapes import verify_axes, verify_counts
from emu.isa.address import Address
from emu.isa.dtypes import ALL, DType
from emu.program.form import Box


@irdl_op_definition
class ConcatOp(Kernel):
    """Places boxes of the inputs into one tile; what nothing covers is the number `fill`, or zero.

    `parts` tell, for each input, which box of it goes where.
    """

    name = "kernel.concat"
    DTYPES: ClassVar[frozenset[DType]] = ALL
    parts = prop_def(PartsAttr)
    fill = opt_prop_def(Attribute)

    @property
    def number(self) -> float | int:
        """What fills places that nothing covers."""
        return self.fill.value.data if isinstance(self.fill, IntegerAttr | FloatAttr) else 0

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """The number that fills, unless it is of zero bytes."""
        data = np.array([self.number]).astype(self.dtype.numpy)
        return [data.reshape(1, 1, 1)] if any(data.tobytes()) else []

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """Boxes that the inputs have and the output has room for."""
        verify_counts(inputs, outputs)
        verify_axes(inputs, outputs)
        if self.fill is not None and not isinstance(self.fill, IntegerAttr | FloatAttr):
            raise VerifyException("fill must be a number")
        axes = len(outputs[0])
        if len(self.parts) != len(inputs) or any(len(sizes) != axes for part in self.parts.data for sizes in part):
            raise VerifyException(f"parts must hold {len(inputs)} boxes of {axes} axes, one per input")
        for index, (shape, (origin, start, size)) in enumerate(zip(inputs, self.parts.data, strict=True)):
            ends = [at + part for at, part in zip(start, size, strict=True)]
            if min(start) < 0 or min(size) < 1 or any(end > room for end, room in zip(ends, shape, strict=True)):
                raise VerifyException(f"input {index} is {list(shape)}, it has no box at {list(start)} of {list(size)}")
            ends = [at + part for at, part in zip(origin, size, strict=True)]
            if min(origin) < 0 or any(end > room for end, room in zip(ends, outputs[0], strict=True)):
                raise VerifyException(f"input {index} ends at {ends}, beyond the output {list(outputs[0])}")

    def row_maps(self) -> list[RowMap]:
        """The rows of each box, from the row of its origin on."""
        return [
            RowMap(shape[0], before=origin[0] - start[0], begin=start[0], end=start[0] + size[0])
            for shape, (origin, start, size) in zip(self.input_shapes, self.parts.data, strict=True)
        ]

    def cut_channels(self, low: int, high: int) -> AxisCut | None:
        """The same channels of every input, if each box has all channels and puts them where they are."""
        channels, boxes = self.output_shapes[0][-1], self.parts.data
        if any((origin[-1], start[-1], size[-1]) != (0, 0, channels) for origin, start, size in boxes):
            return None
        kept = parts((origin, start, (*size[:-1], high - low)) for origin, start, size in boxes)
        return AxisCut(same_channels(self.input_shapes, low, high).boxes, {"parts": kept})

    def cut_axis(self, axis: int, low: int, high: int) -> AxisCut | None:
        """What of the boxes falls there; None if that is nothing."""
        found: list[Box | None] = []
        cut: list[tuple[Shape, Shape, Shape]] = []
        for origin, start, size in self.parts.data:
            begin, end = max(origin[axis], low), min(origin[axis] + size[axis], high)
            if begin >= end:
                found.append(None)
                continue
            at = [*origin], [*start], [*size]
            at[0][axis], at[1][axis], at[2][axis] = begin - low, start[axis] + begin - origin[axis], end - begin
            found.append(tuple((first, first + part) for first, part in zip(at[1], at[2], strict=True)))
            cut.append((tuple(at[0]), (0,) * len(start), tuple(at[2])))
        return AxisCut(found, {"parts": parts(cut)}) if cut else None

    def emit(self, emitter: Emitter) -> None:
        """The number where nothing comes, then the copies, and the activations."""
        inputs, (out,) = emitter.operands(self)
        number = emitter.strips(self.constants)
        shape, placed = self.output_shapes[0], list[_Part]()
        for value, source, given, (origin, start, size) in zip(
            self.inputs, inputs, self.input_shapes, self.parts.data, strict=True
        ):
            rows = source if self.rows is not None else emitter.strip(value, Rows(start[0], 0, size[0], given[0]))
            top = origin[0] + rows.rows.first - start[0] - out.rows.first
            if rows.height:
                placed.append(_Part(rows, top, (origin, start, size), (given, shape)))
        _Filler(emitter, out, number[0] if number else None).fill_uncovered(placed)
        for part in placed:
            _place(emitter, part, out)
        for row, size in out.blocks():
            emit_epilogue(emitter, self.activations, out.at(row=row), size * out.width * out.channels)


@dataclass(frozen=True, slots=True)
class _Part:
    """Some rows of a box, that begin at row `top` of the output's strip.

    `box` are its origin, start and sizes, `shapes` those of the whole tiles that it comes from and goes to.
    """

    source: Strip
    top: int
    box: tuple[Shape, Shape, Shape]
    shapes: tuple[Shape, Shape]

    @property
    def rows(self) -> tuple[int, int]:
        """The rows of the output's strip that it covers."""
        return self.top, self.top + self.source.height

    @property
    def elements(self) -> int:
        """Elements that it covers."""
        return self.source.height * prod(self.box[2][1:])

    @property
    def frame(self) -> tuple[tuple[int, int], int, int]:
        """The rows, the first pixel and the pixels of each row that it covers, of an image."""
        return self.rows, self.box[0][1], self.box[2][1]


@dataclass(frozen=True, slots=True)
class _Filler:
    """Fills elements of the output with `number`, or with zeros."""

    emitter: Emitter
    out: Strip
    number: Strip | None

    def fill_uncovered(self, parts: Sequence[_Part]) -> None:
        """What no part covers; all of it, unless the parts have one frame around them."""
        out = self.out
        if sum(part.elements for part in parts) == out.elements:
            return
        frame = _common_frame(parts, out.channels)
        if frame is None:
            for row, size in out.blocks():
                self._fill(out.at(row=row), size * out.row)
            return
        rows, left, width = frame
        for row, size in out.blocks():
            self._fill_frame(row, size, (max(rows[0] - row, 0), min(rows[1] - row, size)), left, width)

    def _fill(self, at: Address, nbytes: int) -> None:
        if self.number is None or not nbytes:
            self.emitter.fill(at, 0, nbytes)
        else:
            self.emitter.vector("vmv", (at, self.number.at(stride=0)), nbytes // self.out.word)

    def _fill_frame(self, row: int, size: int, rows: tuple[int, int], left: int, width: int) -> None:
        """Of `size` contiguous rows, all but `width` pixels from `left` on in those of `rows`.

        The frame of an image is a run before it, a run between each two rows, and a run after it.
        """
        out = self.out
        if rows[0] >= rows[1]:
            self._fill(out.at(row=row), size * out.row)
            return
        first = rows[0] * out.row + left * out.pixel
        gap = (out.width - width) * out.pixel
        last = first + (rows[1] - rows[0] - 1) * out.row + width * out.pixel
        self._fill(out.at(row=row), first)
        if gap and rows[1] - rows[0] > 1:
            with self.emitter.rows(rows[1] - rows[0] - 1) as y:
                self._fill(out.at((y, out.row), row=row, offset=first + width * out.pixel), gap)
        self._fill(out.at(row=row, offset=last), size * out.row - last)


def _common_frame(parts: Sequence[_Part], channels: int) -> tuple[tuple[int, int], int, int] | None:
    """The frame of all parts, which may follow each other along the rows, as bands do; None if they have none."""
    covered = Counter[tuple[tuple[int, int], int, int]]()
    for part in parts:
        covered[part.frame] += part.box[2][-1]
    frames = sorted(covered)
    even = len({frame[1:] for frame in frames}) == 1 and set(covered.values()) == {channels}
    if not even or any(len(part.box[2]) != 3 for part in parts) or any(a[0][1] != b[0][0] for a, b in pairwise(frames)):
        return None
    return (frames[0][0][0], frames[-1][0][1]), *frames[0][1:]


def _place(emitter: Emitter, part: _Part, out: Strip) -> None:
    """Copy the rows of a box, in the longest runs that are contiguous on both sides."""
    source, (origin, start, sizes) = part.source, part.box
    read, written = (_strides(shape, source.word) for shape in part.shapes)
    run, loops = source.word, list[int]()  # bytes of a run; axes that are loops
    for axis in range(len(sizes) - 1, 0, -1):
        if not loops and read[axis] == written[axis] == run:
            run *= sizes[axis]
        elif sizes[axis] > 1:
            loops.insert(0, axis)
    begin = sum(at * step for at, step in zip(start[1:], read[1:], strict=True))
    end = sum(at * step for at, step in zip(origin[1:], written[1:], strict=True))
    for row, size in blocks(source.height, [(source, 0, 1), (out, part.top, 1)]):
        if not loops and source.row == out.row == run:
            emitter.copy(out.at(row=part.top + row, offset=end), source.at(row=row, offset=begin), size * run)
            continue
        with ExitStack() as stack:
            y = stack.enter_context(emitter.rows(size))
            steps = [(stack.enter_context(emitter.section.loop(sizes[axis])), axis) for axis in loops]
            dst = out.at((y, out.row), *((loop, written[axis]) for loop, axis in steps), row=part.top + row, offset=end)
            src = source.at((y, source.row), *((loop, read[axis]) for loop, axis in steps), row=row, offset=begin)
            emitter.copy(dst, src, run)


def _strides(shape: Shape, word: int) -> list[int]:
    """Bytes from one element to the next along each axis."""
    return [word * prod(shape[axis + 1 :]) for axis in range(len(shape))]
