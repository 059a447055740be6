"""Kernel `put`: a copy of a table in which entries, by indices that are data, are replaced or combined with updates."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.indexed import PUTS
from compiler.dialects.kernel import Shape
from compiler.dialects.types import dtype_of
from compiler.dialects.verifying import verify_name
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.kernels.lines import LineKernel, line, lines, row_blocks, verify_three
from compiler.kernels.shapes import verify_counts
from emu.isa.address import Address
from emu.isa.dtypes import PLACES, DType


@irdl_op_definition
class PutOp(LineKernel):
    """Table [outer][entries][inner], indices and updates [outer][n][inner]; or [1][1][n] and [1][n][inner]."""

    name = "kernel.put"
    combine = prop_def(StringAttr)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """A table like the result, updates of its lines, and an index for each."""
        verify_name("combine", self.combine, PUTS)
        verify_counts(inputs, outputs, of=3)
        verify_three(*inputs, *outputs)
        table, indices, updates = inputs
        shared = indices == (1, 1, updates[1]) and table[0] == 1
        if table != outputs[0] or table[::2] != updates[::2] or not (shared or indices == updates):
            raise VerifyException(f"puts {list(updates)} at {list(indices)} into {list(table)}: they do not fit")
        kinds = [dtype_of(value) for value in self.inputs]
        if kinds[1] not in PLACES or not kinds[0] == kinds[2] == self.dtype:
            raise VerifyException("takes indices of i32 or i64, and updates of the type of its table")

    def may_replace(self, index: int) -> bool:
        """The table may become the result."""
        return index == 0

    def emit(self, emitter: Emitter) -> None:
        """The copy, unless it works in place; then one instruction for all rows of the table, or for each line."""
        (table, indices, updates), (out,) = emitter.operands(self)
        shared = self.input_shapes[1] != self.input_shapes[2]
        types = dtype_of(self.inputs[1]), self.dtype
        flags = ("wrap",) if self.combine.data == "assign" else (self.combine.data, "wrap")
        for row, size in row_blocks(out, [table, *([] if shared else [indices, updates])]):
            if table.address != out.address:
                emitter.copy(out.at(row=row), table.at(row=row), size * out.row)
            if shared:
                operands, width = (out.at(row=row), indices.at(), updates.at(row=row)), out.channels
                self._put(emitter, types, operands, flags, (updates.width, out.width, width))
            else:
                with lines(emitter, size, out.channels) as (y, c):
                    operands = tuple(line(strip, y, c, row) for strip in (out, indices, updates))
                    self._put(emitter, types, operands, flags, (updates.width, out.width, 1))
            emit_epilogue(emitter, self.activations, out.at(row=row), size * out.width * out.channels)

    @staticmethod
    def _put(
        emitter: Emitter,
        types: Sequence[DType],
        operands: Sequence[Address],
        flags: Sequence[str],
        sizes: tuple[int, int, int],
    ) -> None:
        n, entries, width = sizes
        emitter.section.emit("vput", types, operands, flags, n=n, entries=entries, width=width)
