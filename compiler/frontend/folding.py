"""Evaluates nodes whose inputs are constant: shape arithmetic of exporters, dequantised or cast weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import AttributeProto, NodeProto, SparseTensorProto, TensorProto, helper

from compiler.basis.limits import FOLDED_PER_STORED, MAX_DESCRIBED, MAX_FOLDED, MAX_FOLDING_WORK, MAX_RANK
from compiler.basis.weights import Array
from compiler.evaluation.products import unsigned_products
from compiler.frontend.graph_checks import first_line, node_label
from compiler.frontend.tensors import inline_array, sparse_array
from emu.errors import CompileError

IR_VERSION = 10  # of the models made here: onnxruntime lags behind onnx
_NEWEST = 26  # operator set that onnxruntime knows
_LONGEST = 8  # bytes of an element, at most
# Operators whose outputs have a size that depends on values of inputs -> how many elements that can be at most.
_AT_MOST: Mapping[str, Callable[[Sequence[Array]], int]] = {
    "NonZero": lambda arrays: arrays[0].size * max(1, arrays[0].ndim),
    "Compress": lambda arrays: arrays[0].size,
    "Unique": lambda arrays: arrays[0].size,
    "OneHot": lambda arrays: arrays[0].size * max(0, int(arrays[1].reshape(-1)[0])),
}


class Folder:
    """Evaluates the foldable nodes of one model, within the budgets of `compiler.basis.limits`."""

    def __init__(self, where: str, stored: int) -> None:
        """`where` names the model in errors; its initialisers have `stored` bytes."""
        self._where = where
        self._bytes, self._work, self._described = 0, 0, 0
        self._most = MAX_FOLDED + FOLDED_PER_STORED * stored

    def fold(self, node: NodeProto, inputs: Sequence[Array | None], opset: int) -> list[Array]:
        """The outputs of `node`, which is of operator set `opset`, for constant `inputs` (None: left out).

        Raises CompileError if it cannot be evaluated, or only with more memory or work than is left.
        """
        label = f"{self._where}: node '{node_label(node)}' ({node.op_type})"
        if node.op_type == "Constant":
            return [self._constant(node, label)]
        present = [array for array in inputs if array is not None]
        if node.op_type == "ConstantOfShape" and len(present) == 1:
            return [self._describe(node, present[0], label)]
        self._check_inputs(present, label)
        model = _single_node_model(node, inputs, opset)
        try:
            self._spend_outputs(_inferred(model), node, present, label)
            return _evaluate(model)
        except CompileError:
            raise
        except Exception as error:  # onnxruntime raises untyped exceptions
            raise CompileError(
                f"{label} has only constant inputs but cannot be evaluated: {first_line(error)}"
            ) from error

    def _constant(self, node: NodeProto, label: str) -> Array:
        """The value of a Constant node, whichever of its attributes holds it."""
        readers: Mapping[str, Callable[[AttributeProto], Array]] = {
            "value": lambda attribute: inline_array(attribute.t, label),
            "value_float": lambda attribute: np.array(attribute.f, np.float32),
            "value_floats": lambda attribute: np.array(attribute.floats, np.float32),
            "value_int": lambda attribute: np.array(attribute.i, np.int64),
            "value_ints": lambda attribute: np.array(attribute.ints, np.int64),
            "sparse_value": lambda attribute: self._sparse(attribute.sparse_tensor, label),
        }
        for attribute in node.attribute:
            if attribute.name in readers:
                return readers[attribute.name](attribute)
        raise CompileError(f"{label} holds text, which is not supported")

    def _sparse(self, tensor: SparseTensorProto, label: str) -> Array:
        array = sparse_array(tensor, label, MAX_DESCRIBED - self._described)
        self._described += array.nbytes
        return array

    def _describe(self, node: NodeProto, shape: Array, label: str) -> Array:
        """One number in every place of `shape`: a view that takes no memory until somebody copies it."""
        values = [inline_array(attribute.t, label) for attribute in node.attribute if attribute.name == "value"]
        value = values[0] if values else np.zeros(1, np.float32)
        dims = [int(dim) for dim in shape.reshape(-1)]
        if value.size != 1 or len(dims) > MAX_RANK or min(dims, default=0) < 0:
            raise CompileError(
                f"{label} has shape {dims[:MAX_RANK]} and {value.size} values: one value, and sizes, are needed"
            )
        self._described += math.prod(dims) * value.dtype.itemsize
        if self._described > MAX_DESCRIBED:
            raise CompileError(
                f"{label} would make a constant of shape {dims}, which is too large to be meant: constants that a "
                f"shape and one number stand for may have {MAX_DESCRIBED} bytes in all"
            )
        return np.broadcast_to(value.reshape(()), tuple(dims))

    def _check_inputs(self, inputs: Sequence[Array], label: str) -> None:
        """Refuse inputs, which are copied to be evaluated, of more bytes than constants may have."""
        size = sum(array.nbytes for array in inputs)
        if size > self._most:
            raise CompileError(f"{label} has inputs of {size} bytes, more than the {self._most} for constants")

    def _spend_outputs(
        self, shapes: Sequence[Sequence[int] | None], node: NodeProto, inputs: Sequence[Array], label: str
    ) -> None:
        """Refuse what takes more memory or work than is left, before it is evaluated."""
        elements = 0
        for shape in shapes:
            if shape is None and node.op_type not in _AT_MOST:
                raise CompileError(f"{label} has only constant inputs, but an output whose size cannot be told before")
            elements += math.prod(shape) if shape is not None else _AT_MOST[node.op_type](inputs)
        self._bytes += _LONGEST * elements
        if self._bytes > self._most:
            sizes = ", ".join(str(list(shape)) for shape in shapes if shape is not None) or f"{elements} elements"
            raise CompileError(
                f"{label} would make a constant of shape {sizes}, which is too large to be meant: constants that are "
                f"computed may have {self._most // _LONGEST} elements in all"
            )
        self._work += elements * _depth(node, inputs)
        if self._work > MAX_FOLDING_WORK:
            raise CompileError(f"{label} multiplies constants that are too large to do so at compile time")


def _depth(node: NodeProto, inputs: Sequence[Array]) -> int:
    """Multiplications for each element of the output; 0 for operators that do few."""
    if node.op_type in ("MatMul", "Gemm") and inputs[0].ndim:
        return max(inputs[0].shape)
    if node.op_type == "Conv" and inputs[1].ndim:
        return math.prod(inputs[1].shape[1:])
    return 0


def fold_shape(node: NodeProto, shape: tuple[int, ...]) -> list[Array]:
    """The output (int64) of a Shape or Size node for an operand of static `shape`."""
    if node.op_type == "Size":
        return [np.array(math.prod(shape), np.int64)]
    bounds = {attribute.name: attribute.i for attribute in node.attribute}
    return [np.array(shape[bounds.get("start", 0) : bounds.get("end", len(shape))], np.int64)]


def _single_node_model(node: NodeProto, inputs: Sequence[Array | None], opset: int) -> onnx.ModelProto:
    tensors = {
        name: onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
        for name, array in zip(node.input, inputs, strict=True)
        if array is not None
    }
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
    graph = helper.make_graph([node], "fold", [], outputs, list[TensorProto](tensors.values()))
    imports = [helper.make_opsetid("", evaluable_opset(node, opset))]
    return helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION)


def evaluable_opset(node: NodeProto, opset: int) -> int:
    """An operator set in which `node` means the same as in `opset`, and which onnxruntime knows, if there is one.

    What newer sets add to an operator are element types and attributes.
    """
    while opset > _NEWEST:
        since = onnx.defs.get_schema(node.op_type, opset, "").since_version
        if since <= _NEWEST:
            return _NEWEST
        if not onnx.defs.has(node.op_type, since - 1, ""):
            break
        older = onnx.defs.get_schema(node.op_type, since - 1, "")
        if any(attribute.name not in older.attributes for attribute in node.attribute):
            break
        opset = since - 1
    return opset


def _evaluate(model: onnx.ModelProto) -> list[Array]:
    """The outputs by onnxruntime, because onnx.reference lacks older versions of operators and gets some wrong.

    Operators that are newer than onnxruntime's are left to onnx.reference.
    """
    if model.opset_import[0].version > _NEWEST:
        from onnx.reference import ReferenceEvaluator

        return [np.asarray(output) for output in ReferenceEvaluator(model).run(None, {})]
    import onnxruntime

    exact = unsigned_products(model)[0].SerializeToString()
    session = onnxruntime.InferenceSession(exact, quiet_options(), providers=["CPUExecutionProvider"])
    return [np.array(output) for output in session.run(None, {})]  # copies: an output holds its session's memory


def quiet_options() -> Any:
    """Options of a session of onnxruntime, which lacks types, that works in one thread and writes nothing."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # fatal: what goes wrong is raised
    return options


def _inferred(model: onnx.ModelProto) -> list[Sequence[int] | None]:
    """The shape of each output, None where only the values tell; raises what ONNX raises for an invalid node."""
    inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True).graph
    known = {value.name: value.type.tensor_type for value in (*inferred.value_info, *inferred.output)}
    shapes: list[Sequence[int] | None] = []
    for name in filter(None, model.graph.node[0].output):
        kind = known.get(name)
        dims = kind.shape.dim if kind is not None and kind.HasField("shape") else None
        static = dims is not None and all(dim.HasField("dim_value") for dim in dims)
        numbers = kind is not None and kind.elem_type != TensorProto.STRING  # texts have a size of their own
        shapes.append([dim.dim_value for dim in dims] if dims is not None and static and numbers else None)
    return shapes
