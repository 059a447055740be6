"""Kernel `concat`: channel slices of tiles placed into one tile; what nothing covers is zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.emission.emitter import Emitter
from compiler.emission.strip import WORD, Strip, blocks
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap
from compiler.kernels.shapes import verify_counts

Origin = tuple[int, int, int]  # y, x, channel


@irdl_op_definition
class ConcatOp(Kernel):
    """Places channel slices of the inputs into one tile; what nothing covers is zero.

    Input i gives channels [starts[i], starts[i] + sizes[i]); `origins` are triples (y, x, channel) in the output.
    """

    name = "kernel.concat"
    origins = prop_def(DenseArrayBase)
    starts = prop_def(DenseArrayBase)
    sizes = prop_def(DenseArrayBase)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """Slices that the inputs have and the output has room for."""
        verify_counts(inputs, outputs)
        origins, starts, sizes = (attr.values(part) for part in (self.origins, self.starts, self.sizes))
        if (len(origins), len(starts), len(sizes)) != (3 * len(inputs), len(inputs), len(inputs)):
            raise VerifyException(f"origins must hold {3 * len(inputs)} numbers, starts and sizes {len(inputs)} each")
        for index, (shape, start, size) in enumerate(zip(inputs, starts, sizes, strict=True)):
            if start < 0 or size < 1 or start + size > shape[2]:
                raise VerifyException(f"input {index} has {shape[2]} channels, not [{start}, {start + size})")
            origin = origins[3 * index : 3 * index + 3]
            ends = [at + part for at, part in zip(origin, (*shape[:2], size), strict=True)]
            if min(origin) < 0 or any(end > room for end, room in zip(ends, outputs[0], strict=True)):
                raise VerifyException(f"input {index} ends at {ends}, beyond the output {list(outputs[0])}")

    def row_maps(self) -> list[RowMap]:
        """Each input begins at the row of its origin."""
        tops = attr.values(self.origins)[::3]
        return [RowMap(shape[0], before=top) for shape, top in zip(self.input_shapes, tops, strict=True)]

    def emit(self, emitter: Emitter) -> None:
        """Zeros where nothing comes, then the copies."""
        inputs, (out,) = emitter.operands(self)
        origins = zip(*[iter(attr.values(self.origins))] * 3, strict=True)
        parts = [
            _Part(source, (y + source.rows.first - out.rows.first, x, channel), start, size)
            for source, (y, x, channel), start, size in zip(
                inputs, origins, attr.values(self.starts), attr.values(self.sizes), strict=True
            )
            if source.height
        ]
        _zero_uncovered(emitter, parts, out)
        for part in parts:
            _place(emitter, part, out)


@dataclass(frozen=True, slots=True)
class _Part:
    """Channels [start, start + size) of some rows of a tile, and where they begin in the output's strip."""

    source: Strip
    origin: Origin
    start: int
    size: int

    @property
    def rows(self) -> tuple[int, int]:
        """The rows of the output's strip that it covers."""
        return self.origin[0], self.origin[0] + self.source.height


def _zero_uncovered(emitter: Emitter, parts: Sequence[_Part], out: Strip) -> None:
    covered = sum(part.source.height * part.source.width * part.size for part in parts)
    if covered == out.elements:
        return
    frames = {(part.rows, part.origin[1], part.source.width) for part in parts}
    if len(frames) != 1 or sum(part.size for part in parts) != out.channels:
        for row, size in out.blocks():
            emitter.fill(out.at(row=row), 0, size * out.row)
        return
    (rows, left, width) = frames.pop()
    for row, size in out.blocks():
        _zero_frame(emitter, out, row, size, (max(rows[0] - row, 0), min(rows[1] - row, size)), left, width)


def _zero_frame(
    emitter: Emitter, out: Strip, row: int, size: int, rows: tuple[int, int], left: int, width: int
) -> None:
    """Of `size` contiguous rows, all but `width` pixels from `left` on in those of `rows`.

    The frame of an image is a run before it, a run between each two rows, and a run after it.
    """
    if rows[0] >= rows[1]:
        emitter.fill(out.at(row=row), 0, size * out.row)
        return
    first = rows[0] * out.row + left * out.pixel
    gap = (out.width - width) * out.pixel
    last = first + (rows[1] - rows[0] - 1) * out.row + width * out.pixel
    emitter.fill(out.at(row=row), 0, first)
    if gap and rows[1] - rows[0] > 1:
        with emitter.rows(rows[1] - rows[0] - 1) as y:
            emitter.fill(out.at((y, out.row), row=row, offset=first + width * out.pixel), 0, gap)
    emitter.fill(out.at(row=row, offset=last), 0, size * out.row - last)


def _place(emitter: Emitter, part: _Part, out: Strip) -> None:
    """Copy the channels of every pixel, in the longest runs that are contiguous on both sides."""
    source, (top, left, channel) = part.source, part.origin
    offset = left * out.pixel + channel * WORD
    for row, size in blocks(source.height, [(source, 0, 1), (out, top, 1)]):
        if part.size == source.channels == out.channels:
            if source.width == out.width:
                emitter.copy(out.at(row=top + row, offset=offset), source.at(row=row), size * source.row)
                continue
            with emitter.rows(size) as y:
                dst = out.at((y, out.row), row=top + row, offset=offset)
                emitter.copy(dst, source.at((y, source.row), row=row), source.row)
            continue
        with emitter.pixels(size, source.width) as (y, x):
            dst = out.at((y, out.row), (x, out.pixel), row=top + row, offset=offset)
            src = source.at((y, source.row), (x, source.pixel), row=row, offset=part.start * WORD)
            emitter.copy(dst, src, part.size * WORD)
