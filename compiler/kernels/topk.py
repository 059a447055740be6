"""Kernel `topk`: the largest or smallest elements of each line in order, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.kernel import Shape
from compiler.dialects.types import dtype_of
from compiler.emission.emitter import Emitter
from compiler.kernels.lines import LineKernel, line, lines, row_blocks, verify_three
from compiler.kernels.shapes import verify_counts
from emu.isa.dtypes import NUMBERS, PLACES


@irdl_op_definition
class TopKOp(LineKernel):
    """[outer][entries][inner] to values and indices [outer][k][inner]; `largest` 0: the smallest ones."""

    name = "kernel.topk"
    largest = prop_def(IntegerAttr)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """Two results of one shape, no longer than the lines."""
        verify_counts(inputs, outputs, of=1, to=2)
        verify_three(*inputs, *outputs)
        (outer, entries, inner), (values, places) = inputs[0], outputs
        types = [dtype_of(value) for value in (*self.inputs, *self.outputs)]
        known = types[0] in NUMBERS and types[1] == types[0] and types[2] in PLACES
        if values != places or values[::2] != (outer, inner) or values[1] > entries or not known:
            raise VerifyException(f"gives values and indices, i32 or i64, of lines of {list(inputs[0])}, not {outputs}")

    def emit(self, emitter: Emitter) -> None:
        """One partial sort per line."""
        (source,), (values, places) = emitter.operands(self)
        types = dtype_of(self.inputs[0]), dtype_of(self.outputs[1])
        flags = () if self.largest.value.data else ("low",)
        for row, size in row_blocks(values, [source, places]):
            with lines(emitter, size, values.channels) as (y, c):
                operands = [line(strip, y, c, row) for strip in (values, places, source)]
                emitter.section.emit("vtopk", types, operands, flags, n=source.width, k=values.width)
