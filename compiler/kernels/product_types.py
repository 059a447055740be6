"""Element types of products on crossbars: floats to floats, narrow integers to exact sums of int32."""

from __future__ import annotations

from typing import ClassVar

from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import WeightStore
from compiler.dialects.types import dtype_of
from compiler.kernels.kernel import Kernel
from compiler.kernels.shapes import verify_array
from emu.isa.dtypes import DType

INTEGER_FACTORS = frozenset({DType.i8, DType.u8, DType.i16})
SUMS = frozenset({DType.f32, DType.i32})  # element types of sums and of biases
WEIGHTS = {DType.f32: frozenset({DType.f32}), DType.i32: INTEGER_FACTORS}  # by the type of the sums


class ProductKernel(Kernel):
    """A kernel that multiplies its inputs, of one type, by weights on crossbars, to sums of one type."""

    DTYPES: ClassVar[frozenset[DType]] = SUMS

    @property
    def factor(self) -> DType:
        """The element type of its inputs, and of what is gathered of them."""
        return dtype_of(self.inputs[0])

    def verify_elements(self) -> None:
        """float32 to float32, or int8, uint8 and int16 to int32."""
        factors, sums = ({dtype_of(value) for value in values} for values in (self.inputs, self.outputs))
        fits = len(factors) == len(sums) == 1 and sums <= SUMS and factors <= WEIGHTS[next(iter(sums))]
        if not fits:
            names = [", ".join(sorted(kind.name for kind in kinds)) for kinds in (factors, sums)]
            raise VerifyException(
                f"multiplies f32 to f32, or one of {', '.join(sorted(kind.name for kind in INTEGER_FACTORS))} to i32, "
                f"not {names[0]} to {names[1]}"
            )

    def scratch_types(self, streamed: bool) -> list[DType]:
        """Gathered inputs are as the inputs."""
        return [self.factor] * len(self.scratch_shapes(streamed))

    def verify_weights(self, weights: WeightStore, key: str, least: tuple[int, ...], exact: tuple[int, ...]) -> None:
        """Raise VerifyException unless weights have such sizes, and a type that gives the sums."""
        verify_array("weights", weights.get(key), least, exact, WEIGHTS[self.dtype])
