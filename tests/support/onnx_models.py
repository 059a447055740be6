"""Small ONNX models for tests, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

Dims = Sequence[int | str | None]


class Kind(NamedTuple):
    """Element type, of ONNX or of NumPy, and dimensions of an input or output; without them its shape is open."""

    dtype: Any
    dims: Dims | None = None


Given = Kind | np.ndarray | Dims | None  # an array stands for its kind, dimensions for those of the common type


def make_model(
    nodes: Sequence[NodeProto],
    inputs: Mapping[str, Given],
    outputs: Sequence[str] | Mapping[str, Given] = ("y",),
    weights: Mapping[str, np.ndarray | TensorProto] | None = None,
    opset: int = 17,
    dtype: int = TensorProto.FLOAT,
    ir_version: int = 8,
    **domains: int,
) -> ModelProto:
    """A model whose inputs and outputs have elements of `dtype` unless they say otherwise.

    Outputs that are only named leave their shapes open; `domains` are further operator sets and their versions.
    """
    kinds = outputs if isinstance(outputs, Mapping) else dict.fromkeys(outputs)
    graph = helper.make_graph(
        list(nodes),
        "test",
        [_info(name, kind, dtype) for name, kind in inputs.items()],
        [_info(name, kind, dtype) for name, kind in kinds.items()],
        [
            array if isinstance(array, TensorProto) else numpy_helper.from_array(np.asarray(array), name)
            for name, array in (weights or {}).items()
        ],
    )
    opsets = [helper.make_opsetid(domain, version) for domain, version in {"": opset, **domains}.items()]
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)


def _info(name: str, given: Given, dtype: int) -> ValueInfoProto:
    if isinstance(given, np.ndarray):
        given = Kind(given.dtype, given.shape)
    code, dims = given if isinstance(given, Kind) else (dtype, given)
    known = code if isinstance(code, int) else helper.np_dtype_to_tensor_dtype(np.dtype(code))
    return helper.make_tensor_value_info(name, known, dims)


def one_node(
    kind: str,
    shape: Dims,
    *weights: np.ndarray | None,
    opset: int = 17,
    name: str = "the_node",
    dtype: int = TensorProto.FLOAT,
    **attributes: object,
) -> ModelProto:
    """y = kind(x, weights...); a weight None leaves an optional input out."""
    names = ["" if weight is None else f"w{index}" for index, weight in enumerate(weights)]
    node = helper.make_node(kind, ["x", *names], ["y"], name, **attributes)
    arrays = {name: weight for name, weight in zip(names, weights, strict=True) if weight is not None}
    return make_model([node], {"x": shape}, weights=arrays, opset=opset, dtype=dtype)


def random_array(*shape: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    """Normal float32 numbers."""
    return np.asarray(np.random.default_rng(seed).standard_normal(shape) * scale, np.float32)
