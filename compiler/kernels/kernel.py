"""What the compiler asks of a kernel: rows it needs, buffers beside its operands, its instructions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from math import prod
from typing import ClassVar, cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.kernel import KernelOp, Shape
from compiler.dialects.types import dtype_of
from compiler.emission.emitter import Emitter
from compiler.kernels.axis_cut import AxisCut
from compiler.kernels.row_map import RowMap, same_rows
from emu.isa.dtypes import DType


class Kernel(KernelOp, ABC):
    """One kind of kernel: a file of its own, with its operation, its verifier, what it needs and its instructions.

    Weights are keys of the weight store, in string properties that `WEIGHTS` names.
    """

    IN_PLACE: ClassVar[bool] = False  # the output may be the buffer of an input of its shape that nothing needs more
    AT_ONCE: ClassVar[bool] = False  # all output rows are made together

    @property
    def at_once(self) -> bool:
        """Whether all output rows are made together."""
        return self.AT_ONCE

    def may_replace(self, index: int) -> bool:
        """Whether the output may be the buffer of input `index`, of its shape and type, that nothing needs more."""
        return self.IN_PLACE

    @property
    def crossbars(self) -> int:
        """Logical crossbars that hold its weights."""
        return 0

    @property
    def banked(self) -> int:
        """Logical crossbars of the core's bank up to the end of those that it writes itself; none by default."""
        return 0

    def weight_type(self, weights: WeightStore) -> DType:
        """The element type of what stands on its crossbars, if it has any: of its property `weights`.

        Of a text whose weights are not at hand it is that of the inputs.
        """
        key = cast(StringAttr, self.properties["weights"]).data
        return DType.of(weights.get(key).dtype) if key in weights else dtype_of(self.inputs[0])

    @property
    def largest_group(self) -> tuple[int, int]:
        """Rows and columns that none of its array groups exceeds; of what has weights on crossbars."""
        raise NotImplementedError

    @property
    def tallest(self) -> int:
        """Word lines of its tallest row tile; of what has weights on crossbars."""
        raise NotImplementedError

    def spread(self, height: int) -> dict[str, Attribute]:
        """The properties with which no row tile is taller than `height`; of what has weights on crossbars."""
        raise NotImplementedError

    def declare(self, emitter: Emitter) -> None:
        """Name its array groups, in the order in which `emit` does."""

    @property
    def mvms(self) -> int:
        """Matrix-vector products: of each of its crossbars with every pixel of the output."""
        return self.crossbars * prod(self.output_shapes[0][:-1])

    def row_maps(self) -> Sequence[RowMap]:
        """Per input, which rows an output row needs."""
        return same_rows(self.input_shapes, self.output_shapes)

    def variant(self, first: int, count: int) -> Hashable:
        """Instances on rows [first, first + count) of different variants are never iterations of one loop."""
        return None

    def scratch_shapes(self, streamed: bool) -> Sequence[Shape]:
        """Shapes of the scratch buffers; `streamed`: it works on some rows at a time."""
        return ()

    def scratch_types(self, streamed: bool) -> Sequence[DType]:
        """The element type of each scratch buffer: by default that of the output."""
        return [self.dtype] * len(self.scratch_shapes(streamed))

    def constant_data(self, weights: WeightStore, streamed: bool) -> Sequence[Array]:
        """Arrays in the order of memory, such as [height][width][channel], that stand in local memory from power-on."""
        return ()

    def verify_arrays(self, weights: WeightStore) -> None:
        """Raise VerifyException unless the arrays of the weight store that it names are such as it works on."""

    def verify_extras(self, weights: WeightStore) -> None:
        """Raise VerifyException unless on buffers it has the scratch and the constants of one of its two ways."""
        if self.segments is None:
            return
        given = [[(attr.shape_of(value), dtype_of(value)) for value in part] for part in (self.scratch, self.constants)]
        asked = [self._extras(weights, streamed) for streamed in (False, True)]
        if given not in asked:
            shapes, wanted = (
                " and ".join(str([[*shape, kind.name] for shape, kind in part]) for part in parts)
                for parts in (given, asked[0])
            )
            raise VerifyException(f"has scratch and constants {shapes}, but needs {wanted}")

    def _extras(self, weights: WeightStore, streamed: bool) -> list[list[tuple[Shape, DType]]]:
        """Shapes and types of scratch and constants."""
        scratch = zip(self.scratch_shapes(streamed), self.scratch_types(streamed), strict=True)
        arrays = self.constant_data(weights, streamed)
        return [list(scratch), [(array.shape, DType.of(array.dtype)) for array in arrays]]

    def cut_channels(self, low: int, high: int) -> AxisCut | None:
        """What channels [low, high) of the output are made of, where all of it is made here; None: of all channels."""
        return None

    def cut_axis(self, axis: int, low: int, high: int) -> AxisCut | None:
        """What places [low, high) along an axis of the output, not the channels, are made of; None: of all of it.

        The kernel that it describes makes the same bits as the one for all of the output.
        """
        return None

    @abstractmethod
    def emit(self, emitter: Emitter) -> None:
        """Append the instructions of the kernel on buffers."""
