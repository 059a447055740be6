"""Evaluates nodes whose inputs are constant: shape arithmetic of exporters, dequantised or cast weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import onnx
from onnx import AttributeProto, NodeProto, TensorProto, helper

from compiler.frontend.graph_checks import first_line, node_label
from compiler.frontend.tensors import inline_array
from compiler.weights import Array
from emu.errors import CompileError

IR_VERSION = 10  # of the models made here: onnxruntime lags behind onnx
MAX_ELEMENTS = 1 << 28  # of a folded value: what a hostile ConstantOfShape or Expand may allocate


def fold_node(node: NodeProto, inputs: Sequence[Array | None], opset: int, where: str) -> list[Array]:
    """The outputs of `node` for constant `inputs` (None: absent); raises CompileError if they cannot be computed."""
    label = f"{where}: node '{node_label(node)}' ({node.op_type})"
    if node.op_type == "Constant":
        return [_constant(node, label)]
    model = _single_node_model(node, inputs, opset)
    try:
        _check_size(model, label)
        return _evaluate(model)
    except CompileError:
        raise
    except Exception as error:  # onnxruntime raises untyped exceptions
        raise CompileError(f"{label} has only constant inputs but cannot be evaluated: {first_line(error)}") from error


def fold_shape(node: NodeProto, shape: tuple[int, ...]) -> list[Array]:
    """The output of a Shape or Size node for an operand of static `shape`."""
    if node.op_type == "Size":
        return [np.array(math.prod(shape), np.int64)]
    bounds = {attribute.name: attribute.i for attribute in node.attribute}
    return [np.array(shape[bounds.get("start", 0) : bounds.get("end", len(shape))], np.int64)]


def _constant(node: NodeProto, label: str) -> Array:
    """The value of a Constant node, whichever of its attributes holds it."""
    readers: Mapping[str, Callable[[AttributeProto], Array]] = {
        "value": lambda attribute: inline_array(attribute.t, label),
        "value_float": lambda attribute: np.array(attribute.f, np.float32),
        "value_floats": lambda attribute: np.array(attribute.floats, np.float32),
        "value_int": lambda attribute: np.array(attribute.i, np.int64),
        "value_ints": lambda attribute: np.array(attribute.ints, np.int64),
    }
    for attribute in node.attribute:
        if attribute.name in readers:
            return readers[attribute.name](attribute)
    raise CompileError(f"{label} holds a sparse tensor or text, which is not supported")


def _single_node_model(node: NodeProto, inputs: Sequence[Array | None], opset: int) -> onnx.ModelProto:
    tensors = {
        name: onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
        for name, array in zip(node.input, inputs, strict=True)
        if array is not None
    }
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
    graph = helper.make_graph([node], "fold", [], outputs, list[TensorProto](tensors.values()))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION)


def _evaluate(model: onnx.ModelProto) -> list[Array]:
    """Run by onnxruntime: onnx.reference lacks older versions of operators and gets some wrong."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # fatal: what goes wrong is raised
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return [np.asarray(output) for output in session.run(None, {})]


def _check_size(model: onnx.ModelProto, label: str) -> None:
    """Refuse to evaluate a node whose inferred output is absurdly large."""
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    for value in (*inferred.value_info, *inferred.output):
        dims = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        if math.prod(dims) > MAX_ELEMENTS:
            raise CompileError(f"{label} would make a constant of shape {dims}, which is too large to be meant")
