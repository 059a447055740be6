"""Types of values: static shapes from the file, from `--shape`, and by ONNX's own shape inference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import onnx
from onnx import GraphProto, TensorProto, ValueInfoProto, helper, numpy_helper

from compiler.basis.weights import Array
from compiler.frontend.body import used_names
from compiler.frontend.graph_checks import first_line, live_nodes, node_label
from compiler.frontend.impossible import why_no_value
from compiler.frontend.model import LoadedModel
from compiler.frontend.nodes.element_types import element_type
from compiler.frontend.nodes.scope import LIMITS, is_possible, product
from compiler.frontend.wire import LARGE
from emu.errors import CompileError, option
from emu.isa.dtypes import DType

Shape = tuple[int, ...]
InputType = tuple[Shape, DType]
WEIGHT_INPUTS = {
    "Conv": (1, 2),
    "ConvTranspose": (1, 2),
}  # operands that must be constant
_LIKELY = (1, 3, 224, 224)  # what an unknown dimension of an image probably is, for the advice in errors


def input_types(
    model: LoadedModel, given: Mapping[str, Shape], warn: Callable[[str], None], weights: bool = False
) -> dict[str, InputType]:
    """The static shape and element type of each real input; raises CompileError naming the input.

    A shape is the `given` one, else that of the file. If only the batch is dynamic, it is 1, and `warn` is told. With
    `weights` an input may hold those of a node.
    """
    infos = {value.name: value for value in model.proto.graph.input if value.name in model.inputs}
    unknown = sorted(set(given) - set(infos))
    if unknown:
        raise CompileError(f"{model.where} has no input '{unknown[0]}'; its inputs are {', '.join(infos) or 'none'}")
    if not weights:
        _check_weights(model)
    dtypes = {name: _element_type(model.where, info) for name, info in infos.items()}
    declared = {name: _dims(info) for name, info in infos.items()}
    _check_given(model, given, declared)
    shapes: dict[str, Shape] = {}
    dynamic: list[str] = []
    for name, dims in declared.items():
        if name in given:
            shapes[name] = tuple(given[name])
        elif _is_static(dims):
            shapes[name] = _static(dims)
        elif dims is not None and len(dims) > 1 and _is_static(dims[1:]):
            shapes[name] = (1, *_static(dims[1:]))
            warn(
                f"{model.where}: input '{name}' is [{_shown(dims)}]: compiled for one sample at a time, as with"
                f" {option('shapes', {name: shapes[name]})}"
            )
        else:
            dynamic.append(_advice(name, dims))
    if dynamic:
        raise CompileError(f"{model.where} has dynamic shapes: {'; '.join(dynamic)}")
    for name, shape in shapes.items():
        _check_shape(model.where, name, shape)
    return {name: (shape, dtypes[name]) for name, shape in shapes.items()}


def _element_type(where: str, info: ValueInfoProto) -> DType:
    dtype = element_type(info.type.tensor_type.elem_type)
    if dtype is None:
        raise CompileError(f"{where}: input '{info.name}' {why_no_value(info.type)}")
    return dtype


def _check_weights(model: LoadedModel) -> None:
    """Refuse an input that a node takes as weights: its values are missing, whatever its shape."""
    for node in model.proto.graph.node:
        for name in (node.input[k] for k in WEIGHT_INPUTS.get(node.op_type, ()) if k < len(node.input)):
            if name in model.inputs:
                raise CompileError(
                    f"{model.where}: input '{name}' holds weights of node '{node_label(node)}' ({node.op_type}), which"
                    " crossbars need before the run, but the file has no values for it: export the model with its"
                    " weights as initialisers"
                )


def infer_shapes(
    model: LoadedModel, inputs: Mapping[str, InputType], constants: Mapping[str, Array]
) -> dict[str, Shape]:
    """The shapes that ONNX infers for the values of the graph, for these `inputs`; unknown ones are absent.

    Only what is no constant is inferred: what computes with shapes has been folded into `constants`, so that ONNX
    need not follow values, whose size nothing bounds. Raises CompileError if the shapes contradict each other.
    """
    try:
        graph = _remaining(model, inputs, constants)
        proto = helper.make_model(graph, opset_imports=model.proto.opset_import, ir_version=model.proto.ir_version)
        inferred = onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True).graph
    except (onnx.shape_inference.InferenceError, ValueError) as error:
        raise CompileError(f"{model.where}: its shapes do not fit together: {first_line(error)}") from error
    known = {value.name: _dims(value) for value in (*inferred.value_info, *inferred.output)}
    return {name: _static(dims) for name, dims in known.items() if _is_static(dims)}


def _remaining(model: LoadedModel, types: Mapping[str, InputType], constants: Mapping[str, Array]) -> GraphProto:
    """The graph without its folded nodes: constants are initialisers if small, else inputs of their shape."""
    nodes = [node for node in live_nodes(model.proto.graph) if not constants.keys() & set(node.output)]
    used = set[str]().union(*map(used_names, nodes)) & constants.keys()
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype.numpy), shape)
        for name, (shape, dtype) in types.items()
    ]
    small: list[TensorProto] = []
    for name in sorted(used):
        array = constants[name]
        if array.nbytes < LARGE:
            small.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))
        else:
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            inputs.append(helper.make_tensor_value_info(name, kind, array.shape))
    outputs = [helper.make_empty_tensor_value_info(v.name) for v in model.proto.graph.output if v.name not in constants]
    return helper.make_graph(nodes, "shapes", inputs, outputs, small)


def _dims(info: ValueInfoProto) -> list[int | str] | None:
    """The dimensions of a value: a number or, for a dynamic one, its name; None when not even their count is known."""
    if not info.type.tensor_type.HasField("shape"):
        return None
    return [
        dim.dim_value if dim.HasField("dim_value") else (dim.dim_param or "?")
        for dim in info.type.tensor_type.shape.dim
    ]


def _is_static(dims: Sequence[int | str] | None) -> bool:
    return dims is not None and all(isinstance(dim, int) for dim in dims)


def _static(dims: Sequence[int | str] | None) -> Shape:
    return tuple(int(dim) for dim in dims or ())


def _advice(name: str, dims: Sequence[int | str] | None) -> str:
    if dims is None:
        return f"input '{name}' has no shape at all: give it as in {option('shapes', {name: _LIKELY})}"
    likely = _LIKELY if len(dims) == len(_LIKELY) else (1,) * len(dims)
    example = tuple(dim if isinstance(dim, int) else guess for dim, guess in zip(dims, likely, strict=True))
    return f"input '{name}' is [{_shown(dims)}]: give its shape as in {option('shapes', {name: example})}"


def _shown(dims: Sequence[int | str]) -> str:
    return ", ".join(str(dim) for dim in dims)


def _check_given(
    model: LoadedModel, given: Mapping[str, Shape], declared: Mapping[str, list[int | str] | None]
) -> None:
    for name, shape in given.items():
        dims = declared[name]
        if dims is not None and len(dims) != len(shape):
            raise CompileError(
                f"{model.where}: {option('shapes', {name: shape})} has {len(shape)} dimensions, "
                f"but the input has {len(dims)}: [{', '.join(map(str, dims))}]"
            )


def _check_shape(where: str, name: str, shape: Shape) -> None:
    """Not negative, and not absurd."""
    if any(dim < 0 for dim in shape) or not is_possible(shape):
        raise CompileError(f"{where}: input '{name}' has the impossible shape {product(shape)}: {LIMITS}")
