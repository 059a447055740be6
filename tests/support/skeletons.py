"""Exported networks without their weights: a graph whose large initialisers are drawn again, from a seed.

`python -m skeletons MODEL.onnx SKELETON.onnx.gz` takes the weights out of an exporter's file. What is left of an
initialiser is its shape, its type, and a distribution, in `doc_string`: a mean and a deviation with which activations
stay of order one, so that an error anywhere reaches the outputs. Integers (quantised weights) keep their own.
Indices, shapes, masks and small arrays stay as they are.
"""

from __future__ import annotations

import gzip
import json
import sys
from math import prod
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, helper, numpy_helper

SMALL = 64  # elements of an array that stays
DRAWN = (TensorProto.FLOAT, TensorProto.INT8, TensorProto.UINT8, TensorProto.INT32)
EXPORTED = Path(__file__).parents[1] / "launch" / "zoo" / "exported"


def load(name: str, seed: int = 0) -> ModelProto:
    """The network of that name with its weights; the same ones for the same `seed`."""
    model = onnx.load_model_from_string(gzip.decompress((EXPORTED / f"{name}.onnx.gz").read_bytes()))
    for number, tensor in enumerate(model.graph.initializer):
        if tensor.doc_string:
            rng = np.random.default_rng([seed, number])
            tensor.raw_data = _draw(rng, tensor, **json.loads(tensor.doc_string)).tobytes()
            tensor.doc_string = ""
    onnx.checker.check_model(model)
    return model


def _draw(rng: np.random.Generator, tensor: TensorProto, mean: float, deviation: float) -> np.ndarray:
    dtype = helper.tensor_dtype_to_np_dtype(tensor.data_type)
    array = rng.standard_normal(tuple(tensor.dims), np.float32) * deviation + mean
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        array = np.clip(np.rint(array), limits.min, limits.max)
    return array.astype(dtype)


def skeleton(model: ModelProto) -> ModelProto:
    """`model` without the numbers of what `load` draws, and without what exporters tell of themselves."""
    made = ModelProto()
    made.CopyFrom(model)
    users = {name: (node.op_type, place) for node in made.graph.node for place, name in enumerate(node.input)}
    for tensor in made.graph.initializer:
        array = numpy_helper.to_array(tensor)
        masks = array.ndim == 2 and array.size and (array == array.flat[0]).all()
        if tensor.data_type not in DRAWN or array.size < SMALL or masks:
            continue
        mean, deviation = _distribution(array, *users.get(tensor.name, ("", 0)))
        for field in ("raw_data", "float_data", "int32_data"):
            tensor.ClearField(field)
        tensor.doc_string = json.dumps({"mean": round(mean, 4), "deviation": round(deviation, 5)})
    for part in (made, made.graph, *made.graph.node, *made.graph.value_info, *made.graph.input, *made.graph.output):
        part.ClearField("doc_string")
        del part.metadata_props[:]
    del made.graph.value_info[:]
    return made


def _distribution(array: np.ndarray, user: str, place: int) -> tuple[float, float]:
    """Mean and deviation."""
    if array.dtype.kind != "f":
        return float(array.mean()), float(array.std())
    if place and user in ("Conv", "Gemm", "MatMul") and array.ndim > 1:
        inner = array.shape[-2] if user == "MatMul" else prod(array.shape[1:])
        return 0.0, inner**-0.5
    if user == "Mul":  # scales of layers, which begin near zero in training
        return 0.5, 0.1
    return float(array.mean().round()), 0.2


def save(model: ModelProto, path: Path) -> None:
    """Write the skeleton of `model`."""
    path.write_bytes(gzip.compress(skeleton(model).SerializeToString(deterministic=True), mtime=0))


if __name__ == "__main__":
    save(onnx.load(sys.argv[1]), Path(sys.argv[2]))
