"""Imports what ONNX-ML does with features before a model: Scaler, Normalizer, ArrayFeatureExtractor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from xdsl.ir import SSAValue

from compiler.dialects.onnx import ReshapeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise, reduce
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.indexing import gather
from compiler.frontend.operators.pointwise import check_types
from compiler.nests.expression import Value, call, cast, select
from emu.isa.dtypes import PLACES, DType

TAKEN = PLACES | {DType.f32}  # element types of features; results are float32


def features(node: Node, scope: Scope) -> SSAValue:
    """The first input as samples x features, or as the features of one sample; refused if it is neither."""
    x = scope.value(node)
    check_types(node, [x], TAKEN)
    if len(shape_of(x)) not in (1, 2):
        node.refuse(f"has an input of shape {list(shape_of(x))}: [features] or [samples, features] is needed")
    return x


def scaler(node: Node, scope: Scope) -> SSAValue:
    """(x - offset) scale, both one number or one for each feature."""
    x = features(node, scope)
    count = shape_of(x)[-1]
    offset, scale = (np.asarray(node.attributes.get(name, ()), np.float32) for name in ("offset", "scale"))
    if offset.size != scale.size or offset.size not in (1, count):
        node.refuse(
            f"has {offset.size} offsets and {scale.size} scales for {count} features: one of each, or one for each "
            "feature, is needed"
        )
    operands = [x, *(scope.weights(f"{node.name}/{name}", a) for name, a in (("offset", offset), ("scale", scale)))]
    return elementwise(node, scope, operands, lambda v, minus, factor: (cast(v, DType.f32) - minus) * factor)


# How a norm is put together, of what, and an element divided by it.
_Norm = tuple[str, Callable[[Value], Value] | None, Callable[[Value, Value], Value]]
_NORMS: Mapping[str, _Norm] = {
    "MAX": ("max", None, lambda x, norm: x / norm),
    "L1": ("add", lambda x: call("abs", x), lambda x, norm: x / norm),
    "L2": ("add", lambda x: x * x, lambda x, norm: select(x < 0, -1.0 * _share(x, norm), _share(x, norm))),
}


def _share(x: Value, squares: Value) -> Value:
    return call("sqrt", x * x / squares)


def normalizer(node: Node, scope: Scope) -> SSAValue:
    """The features of each sample over their largest one (MAX), the sum of their magnitudes (L1), or their length (L2).

    Those of a sample whose norm is 0 stay as they are.
    """
    x, name = features(node, scope), node.text("norm", "MAX")
    if name not in _NORMS:
        node.refuse(f"has the norm {name!r}, which ONNX does not know: MAX, L1 and L2 are")
    combine, element, divided = _NORMS[name]
    wide = x if dtype_of(x) == DType.f32 else elementwise(node, scope, [x], lambda v: cast(v, DType.f32), "wide")
    if 0 in shape_of(x):
        return elementwise(node, scope, [x], lambda v: cast(v, DType.f32) * 1.0)
    norm = reduce(node, scope, wide, [len(shape_of(x)) - 1], combine, element, part="norm")
    return elementwise(node, scope, [wide, norm], lambda v, n: select(n.same(0), v, divided(v, n)))


def extract(node: Node, scope: Scope) -> SSAValue:
    """ArrayFeatureExtractor: entries of the last axis, by indices, constant or computed, that count from 0.

    A vector [n] is taken as [1, n].
    """
    (x, shape), (indices, places) = ((name, scope.shape(name)) for name in node.inputs)
    if not shape or 0 in places:
        node.refuse(f"takes elements {list(places)} of an input of shape {list(shape)}: there are none")
    if indices in scope.constants and int(scope.array(indices).min()) < 0:
        node.refuse(f"takes index {int(scope.array(indices).min())}; it may only count from 0")
    rows = _shaped(node, scope, x, (1, *shape) if len(shape) == 1 else shape, "rows")
    flat = _shaped(node, scope, indices, (int(np.prod(places)),), "wanted")
    return gather(replace(node, kind="Gather", inputs=(rows, flat), attributes={"axis": -1}), scope)


def _shaped(node: Node, scope: Scope, name: str, shape: tuple[int, ...], part: str) -> str:
    """The name of a value in another shape, which moves nothing."""
    if scope.shape(name) == shape:
        return name
    made = f"{node.outputs[0]}/{part}"
    if name in scope.constants:
        array = scope.array(name).reshape(shape)
        scope.define(made, array, array)
    else:
        scope.define(made, scope.emit(ReshapeOp, node, [scope.named(name)], shape, part=part))
    return made


OPERATORS = {"ArrayFeatureExtractor": extract, "Normalizer": normalizer, "Scaler": scaler}
