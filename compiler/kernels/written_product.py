"""Kernel `written_product`: a product of two results of which one is written to crossbars of the core."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.dialects.types import dtype_of
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.nest_loops import NestSpace
from compiler.emission.staging import staging_bytes
from compiler.emission.written_product import Rooms, emit_written_product
from compiler.kernels.nest_kernel import NestKernel
from compiler.kernels.shapes import verify_counts
from compiler.nests.written import WrittenMatrices, as_matrices, by_steps, element_steps, is_dense, points
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec, group_types_fit


@irdl_op_definition
class WrittenProductOp(NestKernel):
    """A nest that is a product of two tiles; input `operand` is written to crossbars, of `crossbar` rows and columns.

    The matrices that it is made of take turns on `groups` array groups, which stand side by side in the core's bank
    from crossbar `bank` on. With `stays` 1 each has a group of its own: it is written with the first rows of the
    result, and is there for all others. Without, the matrices that some rows need are written for these rows.
    """

    name = "kernel.written_product"
    operand = prop_def(IntegerAttr)
    crossbar = prop_def(DenseArrayBase)
    bank = prop_def(IntegerAttr)
    groups = prop_def(IntegerAttr)
    stays = prop_def(IntegerAttr)

    @property
    def written(self) -> int:
        """The number of the input that is written."""
        return self.operand.value.data

    @property
    def matrices(self) -> WrittenMatrices:
        """What its dimensions count."""
        found = as_matrices(self.nest, self.written)
        assert found is not None  # as verified
        return found

    @property
    def is_resident(self) -> bool:
        """Whether what is written stays for all rows."""
        return bool(self.stays.value.data)

    # verifier ---------------------------------------------------------------------------------------------------

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """A product of two tiles, of types that crossbars take; places for its matrices."""
        verify_counts(inputs, outputs, of=2)
        if fault := self.nest.fault(inputs, self.element_types, outputs[0], self.dtype):
            raise VerifyException(f"has {fault}")
        if self.written not in (0, 1) or self.stays.value.data not in (0, 1):
            raise VerifyException("operand and stays must be 0 or 1")
        if self.contraction is None or as_matrices(self.nest, self.written) is None:
            raise VerifyException("is no product of two matrices")
        if not group_types_fit(*self._types):
            raise VerifyException(f"multiplies {self._types[0].name} by {self._types[1].name}, which no crossbar does")
        crossbar = attr.values(self.crossbar)
        if len(crossbar) != 2 or min(crossbar) < 1 or self.bank.value.data < 0 or self.groups.value.data < 1:
            raise VerifyException("needs rows and columns of a crossbar, a place in the bank, and a group or more")
        count = points(self.nest.sizes, self.matrices.matrices)
        if self.is_resident and (self.groups.value.data != count or self.row in self.matrices.matrices):
            raise VerifyException(f"stays on its crossbars only in {count} groups, and if all rows meet every matrix")

    # crossbars --------------------------------------------------------------------------------------------------

    @property
    def _types(self) -> tuple[DType, DType, DType]:
        """Of vectors, of what is written, and of sums."""
        kinds = self.element_types
        return kinds[1 - self.written], kinds[self.written], self.dtype

    def weight_type(self, weights: WeightStore) -> DType:
        """That of the operand that is written."""
        return dtype_of(self.inputs[self.written])

    @property
    def tiles_of_matrix(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Heights of the row tiles and widths of the column tiles of a matrix."""
        (rows, cols), sizes, found = attr.values(self.crossbar), self.nest.sizes, self.matrices
        return _tile_sizes(points(sizes, found.inner), rows), _tile_sizes(points(sizes, found.columns), cols)

    @property
    def banked(self) -> int:
        """As in Kernel: up to the end of its groups."""
        return self.bank.value.data + self.groups.value.data * prod(map(len, self.tiles_of_matrix))

    def declare(self, emitter: Emitter) -> None:
        """Its groups, side by side."""
        self._groups(emitter)

    def _groups(self, emitter: Emitter) -> list[int]:
        rows, cols = self.tiles_of_matrix
        first, each = self.bank.value.data, len(rows) * len(cols)
        places = range(first, first + self.groups.value.data * each, each)
        return [emitter.written_group(GroupSpec(*self._types, rows, cols, bank=place)) for place in places]

    # what it needs ----------------------------------------------------------------------------------------------

    @property
    def at_once(self) -> bool:
        """Rows that are columns of a matrix, or meet matrices that do not stay, are made together."""
        return super().at_once or (
            self.row is not None
            and self.nest.sizes[self.row] > 1
            and not self.is_resident
            and self.row not in self.matrices.matrices
        )

    def variant(self, first: int, count: int) -> bool:
        """With the first rows is written what stays."""
        return self.is_resident and first == 0

    def _in_place(self) -> tuple[bool, bool, bool]:
        """Whether the matrices, the vectors and the sums stand as crossbars take and give them."""
        nest, shapes = self.nest, (*self.input_shapes, self.output_shapes[0])
        maps = (*nest.sources, nest.target)
        steps = [element_steps(index, shape, len(nest.sizes)) for index, shape in zip(maps, shapes, strict=True)]
        written, other, result = steps[self.written], steps[1 - self.written], steps[2]
        inner, columns = by_steps(self.matrices.inner, other), by_steps(self.matrices.columns, result)
        return (
            is_dense(nest.sizes, written, (*inner, *columns)),
            is_dense(nest.sizes, other, inner),
            is_dense(nest.sizes, result, columns),
        )

    def _rooms(self) -> list[tuple[int, DType] | None]:
        """Elements of scratch and their type: for rows of a matrix, vectors and sums of each group; None in place."""
        sizes, found, (vector, weight, sums) = self.nest.sizes, self.matrices, self._types
        rows, columns = points(sizes, found.inner), points(sizes, found.columns)
        outer = sizes[by_steps(found.inner, self._other_steps)[0]]
        half = staging_bytes([((outer, rows // outer * columns), weight)]) // weight.size
        count = self.groups.value.data
        wanted = ((half, weight), (count * rows, vector), (count * columns, sums))
        return [None if there else room for there, room in zip(self._in_place(), wanted, strict=True)]

    @property
    def _other_steps(self) -> list[int]:
        other = 1 - self.written
        return element_steps(self.nest.sources[other], self.input_shapes[other], len(self.nest.sizes))

    def scratch_shapes(self, streamed: bool) -> list[Shape]:
        """As of `_rooms`."""
        return [(1, 1, room[0]) for room in self._rooms() if room is not None]

    def scratch_types(self, streamed: bool) -> list[DType]:
        """As of `_rooms`."""
        return [room[1] for room in self._rooms() if room is not None]

    # instructions -----------------------------------------------------------------------------------------------

    def emit(self, emitter: Emitter) -> None:
        """The product on every run of rows that do not wrap."""
        inputs, (out,) = emitter.operands(self)
        groups, scratch = self._groups(emitter), iter(emitter.strips(self.scratch))
        rooms = Rooms(*(None if room is None else next(scratch) for room in self._rooms()))
        count = points(self.nest.sizes, self.matrices.matrices)
        writes = not self.is_resident or out.rows.first == 0
        for part, rows, sizes in self.parts(inputs, out):
            tiles = self.tiles(inputs, part)
            accesses = (tiles[self.written], tiles[1 - self.written], self.result(part))
            emit_written_product(emitter, NestSpace(sizes, self.nest.parallel, accesses), rooms, groups, writes)
            emit_epilogue(emitter, self.activations, out.at(row=part.row), rows * out.width * out.channels)
            writes = writes and (self.row in self.matrices.matrices or count > len(groups))


def _tile_sizes(size: int, most: int) -> tuple[int, ...]:
    return tuple(min(most, size - at) for at in range(0, size, most))
