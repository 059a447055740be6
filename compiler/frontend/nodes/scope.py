"""The values known while a graph is imported, and the block that operations are appended to."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, SSAValue

from compiler.basis.limits import MAX_DIMENSION, MAX_ELEMENTS, MAX_RANK
from compiler.basis.origin import Array, ElementOrigin
from compiler.dialects.onnx import ConstantOp
from compiler.dialects.onnx_op import OnnxOp, PropertyValue
from compiler.dialects.types import ELEMENTS, dtype_of
from compiler.frontend.nodes.node import Node
from compiler.session.context import CompilerContext
from emu.errors import CompileError
from emu.isa.dtypes import DType

Shape = tuple[int, ...]


LIMITS = f"a tensor may have {MAX_ELEMENTS} elements, and {MAX_DIMENSION} along each of {MAX_RANK} dimensions"


def is_possible(shape: Sequence[int]) -> bool:
    """Whether a tensor of `shape` is within the budgets."""
    return len(shape) <= MAX_RANK and max(shape, default=1) <= MAX_DIMENSION and math.prod(shape) <= MAX_ELEMENTS


def product(shape: Sequence[int]) -> str:
    """A shape as errors show it."""
    text = " x ".join(map(str, shape[:8]))
    return text if len(shape) <= 8 else f"{text} x ... ({len(shape)} dimensions)"


def shape_of(value: SSAValue) -> Shape:
    """The static shape of a tensor value."""
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


class Scope:
    """The values of a graph by name: arrays of constants, or SSA values, of operations appended to `block`.

    Import functions read operands from it and emit operations to it; both raise CompileError for what is not supported.
    """

    def __init__(self, context: CompilerContext, block: Block, opset: int, where: str) -> None:
        self.opset = opset
        self.where = where
        self.used: Collection[str] = ()  # the names that nodes and outputs of the graph take
        self._context = context
        self._block = block
        self._constants: dict[str, Array] = {}
        self._origins: dict[str, ElementOrigin] = {}  # of constants that are made from others
        self._values: dict[str, SSAValue] = {}
        self._types: dict[tuple[Shape, DType], TensorType] = {}

    def define(self, name: str, value: SSAValue | Array, view: Array | None = None) -> None:
        """Bind `name` to a value of the graph; a constant may be made from a `view` of another: see `weights`."""
        if isinstance(value, SSAValue):
            self._values[name] = value
            return
        origin = None if view is None else self._origin(view, value.shape)
        self._constants[name] = value
        if origin is not None:
            self._origins[name] = origin

    def forget(self, name: str) -> None:
        """Let `name` be bound to nothing."""
        self._values.pop(name, None)
        self._constants.pop(name, None)
        self._origins.pop(name, None)

    def tensor_type(self, shape: Sequence[int], dtype: DType) -> TensorType:
        """The type of a value, built once per shape and element type."""
        key = tuple(shape), dtype
        return self._types.setdefault(key, TensorType(ELEMENTS[dtype], key[0]))

    @property
    def constants(self) -> Mapping[str, Array]:
        """The arrays of all names that are known at compile time."""
        return self._constants

    def __contains__(self, name: str) -> bool:
        return name in self._constants or name in self._values

    def array(self, name: str) -> Array:
        """The array of a constant name."""
        return self._constants[name]

    def shape(self, name: str) -> Shape:
        """The shape of the value called `name`."""
        return self._constants[name].shape if name in self._constants else shape_of(self._values[name])

    def constant(self, node: Node, index: int, role: str) -> Array:
        """The array of input `index` of `node`; raises CompileError, which calls it `role`, if it is not constant."""
        name = node.inputs[index]
        if name not in self._constants:
            node.refuse(f"computes its {role} ('{name}') at run time, but the compiler needs it constant")
        return self._constants[name]

    def value(self, node: Node, index: int = 0) -> SSAValue:
        """Input `index` of `node`; a constant becomes an onnx.Constant when it is first asked for."""
        return self.named(node.inputs[index])

    def named(self, name: str) -> SSAValue:
        """The value called `name`; a constant becomes an onnx.Constant when it is first asked for."""
        if name not in self._values:
            array = self._constants[name]
            self._values[name] = self.weights(name, array, array)
        return self._values[name]

    def weights(self, name: str, array: Array, view: Array | None = None) -> SSAValue:
        """An onnx.Constant of `array`, stored under a key like `name`.

        `view`, of a constant, is what `array` was made from: element by element, in C order.
        Raises CompileError for an element type that the machine does not have.
        """
        try:
            kind = self.tensor_type(array.shape, DType.of(array.dtype))
        except KeyError:
            raise CompileError(
                f"{self.where}: constant '{name}' is {array.dtype}, a type that the machine does not have: "
                "convert the model to float32"
            ) from None
        self._warn_unless_finite(name, array)
        key = self._context.weights.put(name, array, None if view is None else self._origin(view, array.shape))
        operation = ConstantOp.make([], kind, node=key, tensor=name, key=key)
        self._block.add_op(operation)
        return operation.result

    def _origin(self, view: Array, shape: Shape) -> ElementOrigin | None:
        """The origin of an array [*shape] that holds the elements of a view of a constant."""
        for name, array in self._constants.items():
            if array.size and np.may_share_memory(array, view):
                origin = self._origins.get(name) or ElementOrigin.of(name, array)
                return origin.of_view(array, view, shape)
        return None

    def emit(
        self,
        kind: type[OnnxOp],
        node: Node,
        operands: Sequence[SSAValue],
        shape: Sequence[int],
        properties: Mapping[str, PropertyValue] | None = None,
        part: str = "",
        dtype: DType | None = None,
        output: int = 0,
    ) -> SSAValue:
        """Append an operation for `node` with one result, of `shape` and type `dtype`, and return that.

        Without `dtype` it is of the operands' element type. `part` names an auxiliary operation when one node becomes
        several: it is added to node and tensor name. The tensor is called as output number `output` is.
        """
        suffix = f"/{part}" if part else ""
        names = {"node": node.name + suffix, "tensor": self._tensor_name(node, output) + suffix}
        kinds = None if dtype is None else [dtype]
        (result,) = self._append(kind, node, operands, [shape], {**(properties or {}), **names}, kinds)
        return result

    def emit_all(
        self,
        kind: type[OnnxOp],
        node: Node,
        operands: Sequence[SSAValue],
        shapes: Sequence[Sequence[int]],
        properties: Mapping[str, PropertyValue],
        dtypes: Sequence[DType] | None = None,
        part: str = "",
    ) -> tuple[SSAValue, ...]:
        """Append an operation for `node` with a result, of `shapes`, for each output; nameless ones get a name.

        The results have the element types `dtypes`, by default that of the operands; `part` as in `emit`.
        """
        suffix = f"/{part}" if part else ""
        names = [self._tensor_name(node, index) + suffix for index in range(len(shapes))]
        named = {**properties, "node": node.name + suffix, "tensors": names}
        return self._append(kind, node, operands, shapes, named, dtypes)

    @staticmethod
    def _tensor_name(node: Node, output: int) -> str:
        """The name of an output; one that has none, or that the node leaves out, is called after the node."""
        given = node.outputs[output] if output < len(node.outputs) else ""
        return given or f"{node.name}/output{output}"

    def _append(
        self,
        kind: type[OnnxOp],
        node: Node,
        operands: Sequence[SSAValue],
        shapes: Sequence[Sequence[int]],
        properties: Mapping[str, PropertyValue],
        dtypes: Sequence[DType] | None,
    ) -> tuple[SSAValue, ...]:
        for shape in shapes:
            if not is_possible(shape):
                node.refuse(f"has an output of {product(shape)} elements: {LIMITS}")
        if dtypes is None:
            dtypes = [self._element_type(kind, node, operands)] * len(shapes)
        types = (self.tensor_type(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True))
        operation = kind.make(operands, *types, **properties)
        self._block.add_op(operation)
        return tuple(operation.results)

    @staticmethod
    def _element_type(kind: type[OnnxOp], node: Node, operands: Sequence[SSAValue]) -> DType:
        """The element type of all operands, and so of the results; refused unless operations of `kind` take it."""
        given = {dtype_of(value) for value in operands}
        for dtype in given - kind.ELEMENTS:
            node.refuse(f"computes in float32 only, but has an operand of {dtype.numpy}: convert the model to float32")
        if len(given) > 1:
            names = ", ".join(sorted(str(dtype.numpy) for dtype in given))
            node.refuse(f"has operands of several element types ({names}): export the model again")
        return given.pop()

    def warn(self, text: str) -> None:
        """Tell the user of something in the file that is not quite as it should be."""
        self._context.warn(f"{self.where}: {text}")

    def _warn_unless_finite(self, name: str, array: Array) -> None:
        """Warn of NaN and infinity: minimum and maximum show both, without a temporary of the array's size.

        What is zero or minus infinity everywhere is a mask of scores, and no reason to worry.
        """
        with np.errstate(invalid="ignore"):
            finite = not array.size or (math.isfinite(float(array.min())) and math.isfinite(float(array.max())))
        if not finite and not np.all((array == 0) | (array == -np.inf)):
            self._context.warn(f"{self.where}: weights '{name}' hold NaN or infinity; results will not be finite")
