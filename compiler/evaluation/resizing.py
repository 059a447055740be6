"""Tells models whose Resize onnxruntime computes otherwise than ONNX defines it, where a length comes out broken.

Scales may stretch 5 elements to 7.5, of which 7 are there. In ONNX the positions of `align_corners` and of
`half_pixel_symmetric` are those in a length of 7.5, and a length that remains is resized by its scale all the same;
onnxruntime takes 7 for 7.5, and copies what remains as long as it was.
"""

# Imports nothing of this project: it is also loaded by path, in the process that computes golden values.
from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import floor
from typing import Any

from .graphs import Shapes, nodes, with_shapes

_SCALES = 2  # the input, since operator set 11
_OF_LENGTHS = ("align_corners", "half_pixel_symmetric")  # coordinates in which the length of the result has a part


def resizes_otherwise(model: Any, shapes: Shapes) -> bool:
    """Whether onnxruntime makes something else than ONNX of a Resize in `model`, with its inputs of these shapes."""
    import onnx

    found = [node for node in nodes(model) if _has_scales(node)]
    if not found:
        return False
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    graph = onnx.shape_inference.infer_shapes(with_shapes(copy, shapes)).graph
    sizes = {value.name: _sizes(value) for value in (*graph.input, *graph.value_info)}
    scales = dict(_constants(graph))
    return any(_breaks(node, sizes, scales) for node in found)


def _has_scales(node: Any) -> bool:
    return node.op_type == "Resize" and len(node.input) > _SCALES and bool(node.input[_SCALES])


def _breaks(node: Any, sizes: Mapping[str, list[int]], scales: Mapping[str, Any]) -> bool:
    """Whether a length comes out broken, and ONNX and onnxruntime differ in what that means."""
    attributes = {attribute.name: attribute for attribute in node.attribute}
    coordinates = attributes.get("coordinate_transformation_mode")
    strict = coordinates is not None and coordinates.s.decode() in _OF_LENGTHS
    size, scale = sizes.get(node.input[0], []), scales.get(node.input[_SCALES], ())
    axes = list(attributes["axes"].ints) if "axes" in attributes else range(len(size))
    if len(axes) != len(scale) or not all(-len(size) <= axis < len(size) for axis in axes):
        return False
    lengths = [(size[axis], size[axis] * float(factor)) for axis, factor in zip(axes, scale, strict=True)]
    return any(length % 1 and (strict or floor(length) == before) for before, length in lengths)


def _sizes(value: Any) -> list[int]:
    return [dim.dim_value for dim in value.type.tensor_type.shape.dim]


def _constants(graph: Any) -> Iterator[tuple[str, Any]]:
    """The short vectors of float32 that are in the file, by name: scales may be among them."""
    from onnx import TensorProto, numpy_helper

    made = ((node.output[0], node.attribute) for node in graph.node if node.op_type == "Constant")
    values = [(name, attribute.t) for name, found in made for attribute in found if attribute.name == "value"]
    for name, tensor in (*values, *((each.name, each) for each in graph.initializer)):
        inside = tensor.data_location != TensorProto.EXTERNAL
        if inside and tensor.data_type == TensorProto.FLOAT and len(tensor.dims) == 1 and tensor.dims[0] < 64:
            yield name, numpy_helper.to_array(tensor)
