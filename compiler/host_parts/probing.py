"""Types of what a host node makes where ONNX infers none: asked of the evaluator that will compute it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from onnx import NodeProto, OperatorSetIdProto, TypeProto, helper

from compiler.basis.weights import Array
from compiler.evaluation import Refused
from compiler.host_parts.evaluators import evaluator
from compiler.host_parts.value_types import tensor_of
from emu.output.scratch import ScratchFolder

_FORMAT = 8  # version of the file format, which every evaluator knows


def probed_types(
    proto: NodeProto,
    imports: list[OperatorSetIdProto],
    kinds: Mapping[str, TypeProto],
    constants: Mapping[str, Array],
) -> dict[str, TypeProto]:
    """The types of the outputs of a node whose inputs have `kinds`, some of them constant; empty if nobody can tell.

    It is computed for two samples: an output that has the same shape both times is taken to have it always, which a run
    verifies.
    """
    inputs = {name: kind for name, kind in kinds.items() if name not in constants}
    if not all(_is_static(kind) for kind in inputs.values()):
        return {}
    names = [name for name in proto.output if name]
    graph = helper.make_graph(
        [proto],
        "probe",
        [helper.make_value_info(name, kind) for name, kind in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in names],
        [tensor_of(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=imports, ir_version=_FORMAT)
    with ScratchFolder("probe") as folder:
        path = folder / "probe.onnx"
        path.write_bytes(model.SerializeToString())
        shapes = {name: tuple(dim.dim_value for dim in kind.tensor_type.shape.dim) for name, kind in inputs.items()}
        try:
            _, run = evaluator(path, names, shapes)
            samples = [run({name: _filled(kind, value) for name, kind in inputs.items()}) for value in (0, 1)]
        except Refused:
            return {}
    return {name: kind for name, *made in zip(names, *samples, strict=True) if (kind := _type_of(*made)) is not None}


def _is_static(kind: TypeProto) -> bool:
    return kind.tensor_type.HasField("shape") and all(dim.HasField("dim_value") for dim in kind.tensor_type.shape.dim)


def _filled(kind: TypeProto, value: int) -> Array:
    """A tensor of that type of equal elements; of texts it is the number as one."""
    dtype = helper.tensor_dtype_to_np_dtype(kind.tensor_type.elem_type)
    shape = [dim.dim_value for dim in kind.tensor_type.shape.dim]
    return np.full(shape, str(value) if dtype == np.object_ else value, dtype)


def _type_of(first: Any, second: Any) -> TypeProto | None:
    """The type of a value by two of its samples; None for what is no tensor, or has another shape each time."""
    if not (isinstance(first, np.ndarray) and isinstance(second, np.ndarray) and first.shape == second.shape):
        return None
    return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(first.dtype), first.shape)
