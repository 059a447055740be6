"""Kernel `vadd`: two partial sums added, then bias and activation."""

from __future__ import annotations

from typing import cast

from xdsl.ir import Operation

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Emitter
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel
from compiler.weights import Array, WeightStore


def _constants(op: Operation, weights: WeightStore) -> list[Array]:
    vadd = cast(spat.VAddOp, op)
    if vadd.bias is None:
        return []
    low, high = attr.values(vadd.channels)
    return [weights.get(vadd.bias.data)[None, None, low:high]]


def _emit(emitter: Emitter, kernel: pim.BufferKernel) -> None:
    op = cast(pim.VAddOp, kernel)
    inputs, out = emitter.buffers(op.inputs), emitter.buffer(op.outputs[0])
    emitter.vector("vvadd", (out.at(), inputs[0].at(), inputs[1].at()), out.elements)
    if op.constants:
        with emitter.pixels(out.height, out.width) as (y, x):
            at = out.at((y, out.row), (x, out.pixel))
            emitter.vector("vvadd", (at, at, emitter.buffer(op.constants[0]).at()), out.channels)
    emit_epilogue(emitter, attr.epilogue_of(op.epilogue), out.at(), out.elements)


VADD = Kernel(spat.VAddOp, pim.VAddOp, _emit, constants=_constants, in_place=True)
