"""Kernel `softmax`: over the channels of every pixel, shifted by the maximum."""

from __future__ import annotations

from xdsl.ir import Operation

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Emitter
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel, Shape


def _scratch(op: Operation) -> list[Shape]:
    return [(1, 1, 1)]


def _emit(emitter: Emitter, op: pim.BufferKernel) -> None:
    source, out = emitter.buffer(op.inputs[0]), emitter.buffer(op.outputs[0])
    scalar, n = emitter.buffer(op.scratch[0]), out.channels
    with emitter.pixels(out.height, out.width) as (y, x):
        src = source.at((y, source.row), (x, source.pixel))
        dst = out.at((y, out.row), (x, out.pixel))
        emitter.vector("vrmax", (scalar.at(), src), n)
        emitter.vector("vvsub", (dst, src, scalar.at(stride=0)), n)
        emitter.vector("vexp", (dst, dst), n)
        emitter.vector("vsum", (scalar.at(), dst), n)
        emitter.vector("vvdiv", (dst, dst, scalar.at(stride=0)), n)
        emit_epilogue(emitter, attr.epilogue_of(op.epilogue), dst, n)


SOFTMAX = Kernel(spat.SoftmaxOp, pim.SoftmaxOp, _emit, _scratch, in_place=True)
