"""Small ONNX models for tests, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

Dims = Sequence[int | str | None]


def make_model(
    nodes: Sequence[NodeProto],
    inputs: Mapping[str, Dims],
    outputs: Sequence[str] = ("y",),
    weights: Mapping[str, np.ndarray] | None = None,
    opset: int = 17,
    dtype: int = TensorProto.FLOAT,
) -> ModelProto:
    """A model whose inputs and outputs have elements of `dtype`; its outputs leave their shapes open."""
    graph = helper.make_graph(
        list(nodes),
        "test",
        [helper.make_tensor_value_info(name, dtype, dims) for name, dims in inputs.items()],
        [helper.make_tensor_value_info(name, dtype, None) for name in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in (weights or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


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
