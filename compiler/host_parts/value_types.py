"""Types of values that a node makes which no core does: what ONNX infers of it alone, or of the whole graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, helper, numpy_helper

from compiler.dialects.types import dtype_of
from compiler.frontend.input_shapes import InputType
from compiler.frontend.nodes.element_types import element_type
from compiler.frontend.nodes.scope import Scope, is_possible
from compiler.frontend.wire import LARGE

Types = Mapping[str, TypeProto]


def of_machine(kind: TypeProto | None) -> InputType | None:
    """Shape and element type of a value that cores can hold; None for any other."""
    if kind is None or not kind.tensor_type.HasField("shape"):
        return None
    dtype = element_type(kind.tensor_type.elem_type)
    dims = kind.tensor_type.shape.dim
    if dtype is None or not all(dim.HasField("dim_value") for dim in dims):
        return None
    shape = tuple(dim.dim_value for dim in dims)
    return (shape, dtype) if min(shape, default=0) >= 0 and is_possible(shape) else None


def type_of(name: str, scope: Scope, others: Types) -> TypeProto | None:
    """The type of a value of `scope`, or of the `others`; None if it is not known."""
    if name not in scope:
        return others.get(name)
    constant = scope.constants.get(name)
    dtype = dtype_of(scope.named(name)).numpy if constant is None else constant.dtype
    return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(dtype), scope.shape(name))


def graph_types(proto: ModelProto, inputs: Mapping[str, InputType]) -> dict[str, TypeProto]:
    """What the file says of its values, and ONNX infers for these `inputs`; nothing where it finds a contradiction."""
    copy = ModelProto()
    copy.CopyFrom(proto)
    for value in copy.graph.input:
        if value.name in inputs:
            shape, dtype = inputs[value.name]
            code = helper.np_dtype_to_tensor_dtype(dtype.numpy)
            value.type.CopyFrom(helper.make_tensor_type_proto(code, shape))
    try:
        graph = onnx.shape_inference.infer_shapes(copy, data_prop=True).graph
    except (onnx.shape_inference.InferenceError, ValueError):
        graph = copy.graph
    return _declared(graph)


def _declared(graph: GraphProto) -> dict[str, TypeProto]:
    return {value.name: value.type for value in (*graph.value_info, *graph.output) if value.type.WhichOneof("value")}


def node_types(proto: NodeProto, opset: int, kind: Callable[[str], TypeProto | None], scope: Scope) -> Types:
    """What ONNX infers for the outputs of a node whose inputs have the types that `kind` tells; empty if nothing."""
    names = [name for name in proto.input if name]
    kinds = {name: known for name in names if (known := kind(name)) is not None}
    if len(kinds) < len(set(names)):
        return {}
    data = {
        name: tensor_of(scope.array(name), name)
        for name in names
        if name in scope.constants and scope.array(name).nbytes < LARGE
    }
    imports = [helper.make_opsetid(proto.domain, opset)]
    try:
        schema: Any = onnx.defs.get_schema(proto.op_type, opset, proto.domain)
        return onnx.shape_inference.infer_node_outputs(schema, proto, kinds, data, opset_imports=imports)
    except (onnx.shape_inference.InferenceError, onnx.defs.SchemaError, KeyError, ValueError, RuntimeError):
        return {}  # an operator that ONNX does not know, or does not understand by itself


def tensor_of(array: Any, name: str) -> TensorProto:
    """The initialiser `name` of an array, which may be a view of one number."""
    return numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
