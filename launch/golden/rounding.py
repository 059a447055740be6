"""How far golden values move where floats are rounded to integers: the network with those floats slightly off.

A float that an operator has summed or approximated is right up to some units in the last place. A quantiser behind it
turns that into a whole step wherever the float stands near the middle of two, and what follows may make more of it. So
such a network is evaluated again, once with all floats that are rounded a little larger, once a little smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from compiler.evaluation import Runner
from compiler.evaluation.graphs import Shapes, put, without_dead_nodes

UNITS = 8  # by how many units in the last place two right float operators may differ
SHAKES = (1, -1)  # directions

ROUNDING = frozenset({"QuantizeLinear", "DynamicQuantizeLinear", "Round", "Floor", "Ceil"})
# IEEE operations, selections and moves: of exact inputs they make the same bits everywhere. So do all that make
# integers or of integers one float each.
EXACT = frozenset(
    [
        "Abs",
        "Add",
        "Cast",
        "CastLike",
        "Ceil",
        "Clip",
        "CenterCropPad",
        "Compress",
        "Concat",
        "Constant",
        "ConstantOfShape",
        "DepthToSpace",
        "Div",
        "Dropout",
        "Expand",
        "EyeLike",
        "Flatten",
        "Floor",
        "Gather",
        "GatherElements",
        "GatherND",
        "GlobalMaxPool",
        "Identity",
        "LeakyRelu",
        "Max",
        "MaxPool",
        "Min",
        "Mul",
        "Neg",
        "OneHot",
        "PRelu",
        "Pad",
        "Range",
        "ReduceMax",
        "ReduceMin",
        "Relu",
        "Reshape",
        "ReverseSequence",
        "Round",
        "ScatterElements",
        "ScatterND",
        "Shape",
        "Sign",
        "Size",
        "Slice",
        "SpaceToDepth",
        "Split",
        "Sqrt",
        "Squeeze",
        "Sub",
        "ThresholdedRelu",
        "Tile",
        "TopK",
        "Transpose",
        "Trilu",
        "Unsqueeze",
        "Where",
    ]
)
INTEGER = (
    "QLinear",
    "Quantize",
    "Dequantize",
    "DynamicQuantize",
    "ConvInteger",
    "MatMulInteger",
    "QGemm",
    "QAttention",
)
_TYPES = {1: np.float32, 10: np.float16}  # element types of ONNX


def perturbed(evaluators: Any, source: str, path: Path, tensors: Sequence[str], shapes: Shapes) -> list[Runner]:
    """What computes `tensors` with floats a little off before they are rounded, if any inexact ones are; else nobody.

    `evaluators` is the module of a front end. Raises its Refused as the evaluator of that name does.
    """
    model = evaluators.model_of(path)
    without_dead_nodes(model, tensors)
    if not rounds_inexact(model):
        return []
    edits = [partial(shake, direction=direction) for direction in SHAKES]
    return [evaluators.SOURCES[source](path, tensors, shapes, edit)[1] for edit in edits]


def rounds_inexact(model: Any) -> bool:
    """Whether the model rounds floats that another right evaluator may have other last bits of."""
    return bool(_rounding(model))


def shake(model: Any, direction: int) -> Any:
    """The model with floats that are rounded `UNITS` units in the last place larger (1) or smaller (-1), in place."""
    from onnx import helper, numpy_helper

    rounding = _rounding(model)
    halves = {tensor.name for tensor in model.graph.initializer if _TYPES.get(tensor.data_type) is np.float16}
    made: list[Any] = []
    for place, node in enumerate(model.graph.node):
        if place in rounding:
            # The scale has the type of what is quantised.
            half = len(node.input) > 1 and node.input[1] in halves
            dtype = np.float16 if half else np.float32
            factor = np.array(1 + direction * UNITS * float(np.finfo(dtype).eps), dtype)
            name = f"{node.input[0]}/shaken{place}"
            made.append(helper.make_node("Constant", [], [f"{name}/factor"], value=numpy_helper.from_array(factor)))
            made.append(helper.make_node("Mul", [node.input[0], f"{name}/factor"], [name]))
            node.input[0] = name
        made.append(node)
    put(model.graph.node, made)
    return model


def _rounding(model: Any) -> set[int]:
    """The places of the nodes of the graph that round inexact floats."""
    inexact: set[str] = set()
    rounding: set[int] = set()
    for place, node in enumerate(model.graph.node):
        inputs = inexact.intersection(node.input)
        if node.op_type in ROUNDING and node.input[0] in inputs:
            rounding.add(place)
        if node.op_type.startswith(INTEGER) or (node.op_type in EXACT and not inputs):
            continue
        inexact.update(filter(None, node.output))
    return rounding
