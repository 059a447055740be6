"""What kernels that are structured nests share: the nest that they describe, its rows, where its elements stand."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, DictionaryAttr, StringAttr
from xdsl.irdl import opt_prop_def, prop_def

from compiler.dialects.nest_attributes import nest_of
from compiler.dialects.types import dtype_of
from compiler.emission.nest_accesses import RowPart
from compiler.emission.nest_loops import StripAccess
from compiler.emission.strip import Strip, blocks
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap
from compiler.nests.contraction import Contraction, contraction_of
from compiler.nests.linear import Map
from compiler.nests.nest import Nest
from emu.isa.dtypes import ALL, DType


class NestKernel(Kernel, ABC):
    """A kernel whose properties describe a structured nest; its inputs are the first operands of that."""

    DTYPES: ClassVar[frozenset[DType]] = ALL
    sizes = prop_def(DenseArrayBase)
    iterators = prop_def(ArrayAttr[StringAttr])
    maps = prop_def(ArrayAttr[AffineMapAttr])
    body = prop_def(ArrayAttr[DictionaryAttr])
    combine = opt_prop_def(StringAttr)

    @property
    def nest(self) -> Nest:
        """The nest that its properties describe."""
        return nest_of(self.properties)

    @property
    def element_types(self) -> tuple[DType, ...]:
        """The element types of all operands."""
        return tuple(dtype_of(value) for value in self.inputs)

    @property
    def contraction(self) -> Contraction | None:
        """What it is as a matrix product."""
        return contraction_of(self.nest, self.element_types)

    def verify_elements(self) -> None:
        """Element types are a matter of the body."""

    # rows -------------------------------------------------------------------------------------------------------

    @property
    def row(self) -> int | None:
        """The dimension of the space that counts the rows of the output; None if there is one row, or no such one."""
        return self.nest.target[0].only

    @property
    def at_once(self) -> bool:
        """Rows that several dimensions make up are made together."""
        return self.row is None and self.output_shapes[0][0] > 1

    def streams(self, indices: Map) -> bool:
        """Whether a row of the output needs one row of an input, evenly spaced: no other index depends on the row."""
        row = self.row
        first = [dim for dim, _ in indices[0].factors] == [row] and indices[0].factors[0][1] > 0
        return first and not any(index.factor(row) for index in indices[1:] if row is not None)

    def row_maps(self) -> list[RowMap]:
        """One row per row, always the same row, or all rows."""
        maps: list[RowMap] = []
        for indices, shape in zip(self.nest.sources, self.input_shapes, strict=False):
            index = indices[0]
            if self.streams(indices):
                maps.append(RowMap(shape[0], scale=index.factors[0][1], before=-index.constant))
            elif not index.factors:
                maps.append(RowMap(shape[0], scale=0, before=-index.constant))
            else:
                maps.append(RowMap(shape[0], scale=0, reach=shape[0]))
        return maps

    # where elements stand ---------------------------------------------------------------------------------------

    def parts(self, inputs: Sequence[Strip], out: Strip) -> Iterator[tuple[RowPart, int, tuple[int, ...]]]:
        """Rows of the output that do not wrap, nor what they need: with their number, and the sizes of the space."""
        nest = self.nest
        taps = [
            (strip, 0, indices[0].factors[0][1])
            for strip, indices in zip(inputs, nest.sources, strict=False)
            if self.streams(indices)
        ]
        for row, size in blocks(out.height, [(out, 0, 1), *taps]):
            sizes = tuple(size if dim == self.row else full for dim, full in enumerate(nest.sizes))
            yield RowPart(out, row, self.row, len(nest.sizes)), size, sizes

    def tiles(self, inputs: Sequence[Strip], part: RowPart) -> list[StripAccess]:
        """The accesses of the inputs."""
        return [
            part.tile(strip, indices, shape, self.streams(indices))
            for strip, indices, shape in zip(inputs, self.nest.sources, self.input_shapes, strict=False)
        ]

    def result(self, part: RowPart) -> StripAccess:
        """The access of the output."""
        return part.tile(part.out, self.nest.target, self.output_shapes[0], True)
