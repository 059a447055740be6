"""Kernel `softmax`: over the channels of every pixel, shifted by the maximum."""

from __future__ import annotations

from xdsl.ir import Operation

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Emitter
from compiler.codegen.strip import blocks
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel, Shape


def _scratch(op: Operation, streamed: bool) -> list[Shape]:
    return [(1, 1, 1)]


def _emit(emitter: Emitter, op: pim.BufferKernel) -> None:
    (source,), (out,) = emitter.operands(op)
    scalar, n = emitter.strip(op.scratch[0]), out.channels
    for row, size in blocks(out.height, [(source, 0, 1), (out, 0, 1)]):
        with emitter.pixels(size, out.width) as (y, x):
            src = source.at((y, source.row), (x, source.pixel), row=row)
            dst = out.at((y, out.row), (x, out.pixel), row=row)
            emitter.vector("vrmax", (scalar.at(), src), n)
            emitter.vector("vvsub", (dst, src, scalar.at(stride=0)), n)
            emitter.vector("vexp", (dst, dst), n)
            emitter.vector("vsum", (scalar.at(), dst), n)
            emitter.vector("vvdiv", (dst, dst, scalar.at(stride=0)), n)
            emit_epilogue(emitter, attr.epilogue_of(op.epilogue), dst, n)


SOFTMAX = Kernel(spat.SoftmaxOp, pim.SoftmaxOp, _emit, _scratch, in_place=True)
