"""Kernel `vadd`: two partial sums added, then bias and activation."""

from __future__ import annotations

from typing import cast

from xdsl.ir import Operation

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Emitter
from compiler.codegen.strip import blocks
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel
from compiler.weights import Array, WeightStore


def _constants(op: Operation, weights: WeightStore, streamed: bool) -> list[Array]:
    vadd = cast(spat.VAddOp, op)
    if vadd.bias is None:
        return []
    low, high = attr.values(vadd.channels)
    return [weights.get(vadd.bias.data)[None, None, low:high]]


def _emit(emitter: Emitter, kernel: pim.BufferKernel) -> None:
    op = cast(pim.VAddOp, kernel)
    (left, right), (out,) = emitter.operands(op)
    for row, size in blocks(out.height, [(strip, 0, 1) for strip in (left, right, out)]):
        elements = size * out.width * out.channels
        emitter.vector("vvadd", (out.at(row=row), left.at(row=row), right.at(row=row)), elements)
        if op.constants:
            with emitter.pixels(size, out.width) as (y, x):
                at = out.at((y, out.row), (x, out.pixel), row=row)
                emitter.vector("vvadd", (at, at, emitter.strip(op.constants[0]).at()), out.channels)
        emit_epilogue(emitter, attr.epilogue_of(op.epilogue), out.at(row=row), elements)


VADD = Kernel(spat.VAddOp, pim.VAddOp, _emit, constants=_constants, in_place=True)
