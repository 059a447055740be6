"""Kernel `concat`: channel slices of tiles placed into one tile; what nothing covers is zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from compiler.codegen.emitter import WORD, Buffer, Emitter
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel

Origin = tuple[int, int, int]  # y, x, channel


def _emit(emitter: Emitter, kernel: pim.BufferKernel) -> None:
    op = cast(pim.ConcatOp, kernel)
    inputs, out = emitter.buffers(op.inputs), emitter.buffer(op.outputs[0])
    flat = attr.values(op.origins)
    origins = [(flat[k], flat[k + 1], flat[k + 2]) for k in range(0, len(flat), 3)]
    sizes = attr.values(op.sizes)
    _zero_uncovered(emitter, inputs, out, origins, sizes)
    for source, origin, start, size in zip(inputs, origins, attr.values(op.starts), sizes, strict=True):
        _place(emitter, source, out, origin, start, size)


def _zero_uncovered(
    emitter: Emitter, inputs: Sequence[Buffer], out: Buffer, origins: Sequence[Origin], sizes: Sequence[int]
) -> None:
    covered = sum(tile.height * tile.width * size for tile, size in zip(inputs, sizes, strict=True))
    if covered == out.elements:
        return
    framed = all(origin[:2] == origins[0][:2] for origin in origins) and sum(sizes) == out.channels
    if not framed:
        emitter.fill(out.at(), 0, out.nbytes)
        return
    # One image in a frame: the frame is a run before it, a run between each two rows, and a run after it.
    height, width = inputs[0].height, inputs[0].width
    top, left = origins[0][:2]
    first = top * out.row + left * out.pixel
    gap = (out.width - width) * out.pixel
    last = first + (height - 1) * out.row + width * out.pixel
    emitter.fill(out.at(), 0, first)
    if gap and height > 1:
        with emitter.section.loop(height - 1) as y:
            emitter.fill(out.at((y, out.row), offset=first + width * out.pixel), 0, gap)
    emitter.fill(out.at(offset=last), 0, out.nbytes - last)


def _place(emitter: Emitter, source: Buffer, out: Buffer, origin: Origin, start: int, size: int) -> None:
    """Copy channels [start, start + size) of every pixel, in the longest runs that are contiguous on both sides."""
    offset = origin[0] * out.row + origin[1] * out.pixel + origin[2] * WORD
    if size == source.channels == out.channels:
        if source.width == out.width:
            emitter.copy(out.at(offset=offset), source.at(), source.nbytes)
            return
        with emitter.section.loop(source.height) as y:
            emitter.copy(out.at((y, out.row), offset=offset), source.at((y, source.row)), source.row)
        return
    with emitter.pixels(source.height, source.width) as (y, x):
        dst = out.at((y, out.row), (x, out.pixel), offset=offset)
        src = source.at((y, source.row), (x, source.pixel), offset=start * WORD)
        emitter.copy(dst, src, size * WORD)


CONCAT = Kernel(spat.ConcatOp, pim.ConcatOp, _emit)
