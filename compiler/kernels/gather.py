"""Kernel `gather`: entries of a table, by indices that are data; an index outside of the table traps."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.kernel import Shape
from compiler.dialects.types import dtype_of
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import Strip
from compiler.kernels.axis_cut import AxisCut, same_channels
from compiler.kernels.lines import LineKernel, line, lines, row_blocks, verify_three
from compiler.kernels.row_map import RowMap
from compiler.kernels.shapes import verify_counts
from emu.isa.address import Address
from emu.isa.dtypes import PLACES


@irdl_op_definition
class GatherOp(LineKernel):
    """Table [outer][entries][inner] by indices [1][1][n], for all rows and lines, or [outer][n][inner]."""

    name = "kernel.gather"

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """Indices of i32 or i64; as many entries as there are indices."""
        verify_counts(inputs, outputs, of=2)
        verify_three(*inputs, *outputs)
        (outer, _, inner), indices, out = inputs[0], inputs[1], outputs[0]
        if out[::2] != (outer, inner) or indices not in (out, (1, 1, out[1])):
            raise VerifyException(
                f"gathers {list(out)} by indices {list(indices)} of {list(inputs[0])}: they do not fit"
            )
        table, places = (dtype_of(value) for value in self.inputs)
        if places not in PLACES or table != self.dtype:
            raise VerifyException("takes indices of i32 or i64, and gives elements of the type of its table")

    @property
    def shared(self) -> bool:
        """Whether all rows and lines have the same indices."""
        return self.input_shapes[1] != self.output_shapes[0]

    def row_maps(self) -> list[RowMap]:
        """The same row of the table; of indices that all rows share, all."""
        table, indices = super().row_maps()
        return [table, RowMap(1, scale=0) if self.shared else indices]

    def cut_channels(self, low: int, high: int) -> AxisCut:
        """The same lines of the table, and their indices."""
        lines = same_channels(self.input_shapes, low, high).boxes
        places = tuple((0, size) for size in self.input_shapes[1])
        return AxisCut([lines[0], places if self.shared else lines[1]])

    def emit(self, emitter: Emitter) -> None:
        """One look-up per row of the table, or per line."""
        (table, indices), (out,) = emitter.operands(self)
        for row, size in row_blocks(out, [table] if self.shared else [table, indices]):
            if self.shared:
                with emitter.rows(size) as y:
                    self._rows(emitter, (table, indices, out), y, row)
            else:
                with lines(emitter, size, out.channels) as (y, c):
                    operands = [line(strip, y, c, row) for strip in (out, indices, table)]
                    self._look_up(emitter, operands, out.width, table.width, 1)
            emit_epilogue(emitter, self.activations, out.at(row=row), size * out.width * out.channels)

    def _rows(self, emitter: Emitter, strips: tuple[Strip, Strip, Strip], y: int, row: int) -> None:
        table, indices, out = strips
        sides = [strip.at((y, strip.row), row=row) for strip in (out, table)]
        self._look_up(emitter, [sides[0], indices.at(), sides[1]], out.width, table.width, out.channels)

    def _look_up(self, emitter: Emitter, operands: Sequence[Address], n: int, entries: int, width: int) -> None:
        types = dtype_of(self.inputs[1]), self.dtype
        emitter.section.emit("vlut", types, operands, ("wrap",), n=n, entries=entries, width=width)
