"""Kernel `relayout`: a strided copy, the longest factor as a vector and the others as loops."""

from __future__ import annotations

from contextlib import ExitStack
from typing import cast

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Emitter
from compiler.codegen.strip import WORD
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import all_rows


def _emit(emitter: Emitter, kernel: pim.BufferKernel) -> None:
    op = cast(pim.RelayoutOp, kernel)
    (source,), (out,) = emitter.operands(op)
    factors = list(zip(attr.values(op.sizes), attr.values(op.source), attr.values(op.target), strict=True))
    factors.sort(key=lambda factor: factor[0])
    size, src_stride, dst_stride = factors.pop() if factors else (1, 1, 1)
    with ExitStack() as loops:
        steps = [(loops.enter_context(emitter.section.loop(n)), a * WORD, b * WORD) for n, a, b in factors]
        src = source.at(*((loop, step) for loop, step, _ in steps), stride=src_stride)
        dst = out.at(*((loop, step) for loop, _, step in steps), stride=dst_stride)
        emitter.vector("vmv", (dst, src), size)
    emit_epilogue(emitter, attr.epilogue_of(op.epilogue), out.at(), out.elements)


RELAYOUT = Kernel(spat.RelayoutOp, pim.RelayoutOp, _emit, rows=all_rows, at_once=True)
