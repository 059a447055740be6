"""Kernel `lrn`: x / (bias + alpha / size * sum of squares over neighbouring channels)^beta, pixel by pixel."""

from __future__ import annotations

from typing import cast

from xdsl.ir import Operation

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Emitter
from compiler.codegen.strip import WORD, Strip, blocks
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel, Shape


def _scratch(op: Operation, streamed: bool) -> list[Shape]:
    return [(1, 1, attr.shape_of(op.operands[0])[2]), (1, 1, attr.shape_of(op.results[0])[2])]


def _emit(emitter: Emitter, kernel: pim.BufferKernel) -> None:
    op = cast(pim.LRNOp, kernel)
    (source,), (out,) = emitter.operands(op)
    for row, size in blocks(out.height, [(source, 0, 1), (out, 0, 1)]):
        _emit_rows(emitter, op, source, out, row, size)


def _emit_rows(emitter: Emitter, op: pim.LRNOp, source: Strip, out: Strip, row: int, size: int) -> None:
    squares, sums = emitter.strips(op.scratch)
    halo, n = op.halo.value.data, out.channels
    with emitter.pixels(size, out.width) as (y, x):
        src = source.at((y, source.row), (x, source.pixel), row=row)
        centre = source.at((y, source.row), (x, source.pixel), row=row, offset=halo * WORD)
        dst = out.at((y, out.row), (x, out.pixel), row=row)
        emitter.vector("vvmul", (squares.at(), src, src), source.channels)
        emitter.fill(sums.at(), 0, n * WORD)
        _window_sums(emitter, op, squares, sums, halo)
        emitter.immediate("vsmul", (sums.at(), sums.at()), n, op.alpha.value.data / op.size.value.data)
        emitter.immediate("vsadd", (sums.at(), sums.at()), n, op.bias.value.data)
        emitter.immediate("vspow", (sums.at(), sums.at()), n, op.beta.value.data)
        emitter.vector("vvdiv", (dst, centre, sums.at()), n)
        emit_epilogue(emitter, attr.epilogue_of(op.epilogue), dst, n)


def _window_sums(emitter: Emitter, op: pim.LRNOp, squares: Strip, sums: Strip, halo: int) -> None:
    """Add each neighbour's squares to the channels that have that neighbour."""
    size = op.size.value.data
    before, most = (size - 1) // 2, squares.channels
    for shift in range(max(-before, -most), min(size - before, most)):  # further off there are no neighbours
        low = max(0, -(halo + shift))
        high = min(sums.channels, squares.channels - halo - shift)
        if low < high:
            at = sums.at(offset=low * WORD)
            emitter.vector("vvadd", (at, at, squares.at(offset=(low + halo + shift) * WORD)), high - low)


LRN = Kernel(spat.LRNOp, pim.LRNOp, _emit, _scratch)
