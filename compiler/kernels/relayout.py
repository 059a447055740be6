"""Kernel `relayout`: a strided copy, the longest factor as a vector and the others as loops."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap, all_rows
from compiler.kernels.shapes import verify_counts
from emu.isa.dtypes import ALL, DType


@irdl_op_definition
class RelayoutOp(Kernel):
    """A strided copy: factors `sizes` with element strides `source` and `target`."""

    name = "kernel.relayout"
    AT_ONCE: ClassVar[bool] = True
    DTYPES: ClassVar[frozenset[DType]] = ALL
    sizes = prop_def(DenseArrayBase)
    source = prop_def(DenseArrayBase)
    target = prop_def(DenseArrayBase)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """The factors move every element, from inside of the input to inside of the output."""
        verify_counts(inputs, outputs, of=1)
        sizes, source, target = (attr.values(part) for part in (self.sizes, self.source, self.target))
        if not len(sizes) == len(source) == len(target) or min((*sizes, *source, *target), default=1) < 1:
            raise VerifyException("sizes, source and target must hold as many numbers, all positive")
        count = prod(sizes)
        if prod(inputs[0]) != count or prod(outputs[0]) != count:
            raise VerifyException(f"sizes {list(sizes)} must move all elements of tiles {inputs[0]} and {outputs[0]}")
        for name, strides in (("source", source), ("target", target)):
            if sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True)) != count - 1:
                raise VerifyException(f"{name} {list(strides)} must step over every element of the tile once")

    def row_maps(self) -> list[RowMap]:
        """Every row needs all rows."""
        return all_rows(self.input_shapes)

    def emit(self, emitter: Emitter) -> None:
        """Loops over all factors but the longest."""
        (source,), (out,) = emitter.operands(self)
        factors = list(zip(attr.values(self.sizes), attr.values(self.source), attr.values(self.target), strict=True))
        factors.sort(key=lambda factor: factor[0])
        size, src_stride, dst_stride = factors.pop() if factors else (1, 1, 1)
        with ExitStack() as loops:
            steps = [(loops.enter_context(emitter.section.loop(n)), a * out.word, b * out.word) for n, a, b in factors]
            src = source.at(*((loop, step) for loop, step, _ in steps), stride=src_stride)
            dst = out.at(*((loop, step) for loop, _, step in steps), stride=dst_stride)
            emitter.vector("vmv", (dst, src), size)
        emit_epilogue(emitter, self.activations, out.at(), out.elements)
