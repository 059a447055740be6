"""What all operations of the dialect `onnx` have in common: names of node and tensors, element types, operands."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Self, TypeAlias, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, StringAttr, TensorType, f32, i64
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.irdl import operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.assembly import WrittenOp
from compiler.dialects.types import dtype_of
from emu.isa.dtypes import ALL, DType

NAME_ATTRIBUTE = "onnx.name"  # of arguments and results of the function that is the network
PropertyValue: TypeAlias = Attribute | int | float | str | Sequence[int] | Sequence[str] | None


def _attribute(value: PropertyValue) -> Attribute | None:
    """The attribute of a Python value: i64, f32, string, array of i64 or of strings."""
    if value is None or isinstance(value, Attribute):
        return value
    if isinstance(value, str):
        return StringAttr(value)
    if isinstance(value, int):
        return IntegerAttr(int(value), i64)
    if isinstance(value, float):
        return FloatAttr(value, f32)
    texts = [StringAttr(item) for item in value if isinstance(item, str)]
    return ArrayAttr(texts) if texts else DenseArrayBase.from_list(i64, [int(item) for item in value])


class OnnxOp(WrittenOp, ABC):
    """One ONNX node. `node` is its name in the file (or a made-up unique one), `tensor_names` those of its outputs.

    All its values have one element type, of `ELEMENTS`.
    """

    ELEMENTS: ClassVar[frozenset[DType]] = frozenset({DType.f32})
    node = prop_def(StringAttr)
    traits = traits_def(Pure())

    @classmethod
    def make(cls, operands: Sequence[SSAValue], *results: TensorType, **properties: PropertyValue) -> Self:
        """Build an operation; Python numbers, strings and sequences of them become attributes, None is absent."""
        attributes = {name: _attribute(value) for name, value in properties.items()}
        present = {name: value for name, value in attributes.items() if value is not None}
        return cls.create(operands=operands, result_types=results, properties=present)

    @property
    def tensor_names(self) -> tuple[str, ...]:
        """The name of the tensor that each result is."""
        if "tensors" in self.properties:
            return tuple(name.data for name in cast(ArrayAttr[StringAttr], self.properties["tensors"]))
        return (self.tensor.data,)

    @property
    def result(self) -> OpResult[TensorType]:
        """The result of an operation that has one."""
        (result,) = self.results
        return cast(OpResult[TensorType], result)

    @property
    def tensor(self) -> StringAttr:
        """The name of the result of an operation that has one."""
        return cast(StringAttr, self.properties["tensor"])

    @property
    def label(self) -> str:
        """How error messages name it: `node conv1 (Conv)`."""
        return f"node {self.node.data} ({self.name.removeprefix('onnx.')})"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result of an operation that has one."""
        return self.result.type.get_shape()

    def verify_(self) -> None:
        """Every operand and result is a static tensor, and all are of one type of elements that fits the operation."""
        self.verify_static()
        values = (*self.operands, *self.results)
        for value in values:
            if dtype_of(value) not in self.ELEMENTS:
                raise VerifyException(f"computes in float32 only, not in {value.type}")
        if len({dtype_of(value) for value in values}) > 1:
            raise VerifyException("has values of several element types")

    def verify_static(self) -> None:
        """Raise VerifyException unless every operand and result is a static tensor."""
        for value in (*self.operands, *self.results):
            kind = value.type
            if not isinstance(kind, TensorType) or any(dim < 0 for dim in kind.get_shape()):
                raise VerifyException(f"has a value that is no static tensor: {kind}")


class SingleOp(OnnxOp, ABC):
    """A node with one output, as nearly all are."""

    name_of_result = prop_def(StringAttr, prop_name="tensor")
    only_result = result_def(TensorType)


class MovingOp(OnnxOp, ABC):
    """Moves elements, of any type, and computes nothing."""

    ELEMENTS: ClassVar[frozenset[DType]] = ALL


class UnaryOp(SingleOp, ABC):
    """One tensor in, one out."""

    x = operand_def(TensorType)


class ElementwiseOp(UnaryOp, ABC):
    """A function applied to each element."""

    def verify_(self) -> None:
        """The shape does not change."""
        super().verify_()
        if self.x.type != self.result.type:
            raise VerifyException(f"changes its type: {self.x.type} to {self.result.type}")


class BinaryOp(SingleOp, ABC):
    """Two tensors, broadcast against each other as in NumPy."""

    a = operand_def(TensorType)
    b = operand_def(TensorType)


def tensor_name(value: SSAValue) -> str:
    """The name of the tensor that `value` is; empty for an argument, whose name the function has."""
    return (
        value.owner.tensor_names[value.index] if isinstance(value, OpResult) and isinstance(value.owner, OnnxOp) else ""
    )
