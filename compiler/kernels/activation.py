"""Kernel `activation`: a copy with activations applied."""

from __future__ import annotations

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Emitter
from compiler.codegen.strip import blocks
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel


def _emit(emitter: Emitter, op: pim.BufferKernel) -> None:
    (source,), (out,) = emitter.operands(op)
    for row, size in blocks(out.height, [(source, 0, 1), (out, 0, 1)]):
        if source.address != out.address:
            emitter.copy(out.at(row=row), source.at(row=row), size * out.row)
        emit_epilogue(emitter, attr.epilogue_of(op.epilogue), out.at(row=row), size * out.width * out.channels)


ACTIVATION = Kernel(spat.ActivationOp, pim.ActivationOp, _emit, in_place=True)
