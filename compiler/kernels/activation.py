"""Kernel `activation`: a copy with activations applied."""

from __future__ import annotations

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Emitter
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel


def _emit(emitter: Emitter, op: pim.BufferKernel) -> None:
    source, out = emitter.buffer(op.inputs[0]), emitter.buffer(op.outputs[0])
    if source.address != out.address:
        emitter.copy(out.at(), source.at(), out.nbytes)
    emit_epilogue(emitter, attr.epilogue_of(op.epilogue), out.at(), out.elements)


ACTIVATION = Kernel(spat.ActivationOp, pim.ActivationOp, _emit, in_place=True)
