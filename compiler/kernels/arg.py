"""Kernel `arg`: where along each line the largest or smallest element stands."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.kernel import Shape
from compiler.dialects.types import dtype_of
from compiler.dialects.verifying import verify_name
from compiler.emission.emitter import Emitter
from compiler.kernels.axis_cut import AxisCut, same_channels
from compiler.kernels.lines import LineKernel, line, lines, row_blocks, verify_three
from compiler.kernels.shapes import verify_counts
from emu.isa.dtypes import NUMBERS, PLACES

INSTRUCTIONS = {"max": "vargmax", "min": "vargmin"}


@irdl_op_definition
class ArgOp(LineKernel):
    """[outer][entries][inner] to indices [outer][1][inner]; with `last` 1 the last of equal ones."""

    name = "kernel.arg"
    kind = prop_def(StringAttr)
    last = prop_def(IntegerAttr)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """One index per line."""
        verify_name("kind", self.kind, INSTRUCTIONS)
        verify_counts(inputs, outputs, of=1)
        verify_three(*inputs, *outputs)
        outer, entries, inner = inputs[0]
        types = dtype_of(self.inputs[0]) in NUMBERS and self.dtype in PLACES
        if outputs[0] != (outer, 1, inner) or not entries or not types:
            raise VerifyException(f"gives an index, i32 or i64, per line of {list(inputs[0])}, not {list(outputs[0])}")

    def cut_channels(self, low: int, high: int) -> AxisCut:
        """The same lines."""
        return same_channels(self.input_shapes, low, high)

    def emit(self, emitter: Emitter) -> None:
        """One instruction per line."""
        (source,), (out,) = emitter.operands(self)
        name, types = INSTRUCTIONS[self.kind.data], (dtype_of(self.inputs[0]), self.dtype)
        flags = ("last",) if self.last.value.data else ()
        for row, size in row_blocks(out, [source]):
            with lines(emitter, size, out.channels) as (y, c):
                target = out.at((y, out.row), (c, out.word), row=row)
                emitter.section.emit(name, types, (target, line(source, y, c, row)), flags, n=source.width)
