"""Imports LinearClassifier and LinearRegressor of ONNX-ML: a product with their coefficients, and a transform."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from xdsl.ir import SSAValue

from compiler.dialects.onnx import ReshapeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise, reduce, written
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.features import features
from compiler.frontend.operators.indexing import arg, gather
from compiler.frontend.operators.linear import gemm
from compiler.frontend.operators.softmax import softmax
from compiler.nests.expression import Value, call, cast, constant, index, select
from emu.isa.dtypes import DType

_NEAR_ZERO = 1e-7  # SOFTMAX_ZERO takes a smaller score for none
_PI, _WINITZKI = 3.14159, 0.147  # of onnxruntime's inverse error function, in float32
_Transform = Callable[[Node, Scope, SSAValue], SSAValue]


def _logistic(node: Node, scope: Scope, scores: SSAValue) -> SSAValue:
    return elementwise(node, scope, [scores], lambda score: call("sigmoid", score))


def _softmax(node: Node, scope: Scope, scores: SSAValue) -> SSAValue:
    name = f"{node.outputs[0]}/raw"
    scope.define(name, scores)
    return softmax(replace(node, kind="Softmax", inputs=(name,), attributes={"axis": 1}), scope)


def _softmax_zero(node: Node, scope: Scope, scores: SSAValue) -> SSAValue:
    """Softmax of the scores that are not 0; those that are stay so."""

    def is_score(score: Value) -> Value:
        return call("abs", score) > _NEAR_ZERO

    most = reduce(node, scope, scores, [1], "max", part="most")
    total = reduce(
        node,
        scope,
        [scores, most],
        [1],
        "add",
        lambda score, top: select(is_score(score), call("exp", score - top), 0),
        part="total",
    )
    return elementwise(
        node,
        scope,
        [scores, most, total],
        lambda score, top, whole: (
            select(is_score(score), call("exp", score - top), score * call("exp", call("neg", top))) / whole
        ),
    )


def _probit(node: Node, scope: Scope, scores: SSAValue) -> SSAValue:
    """The inverse of the normal distribution, by Winitzki's formula, as onnxruntime has it."""

    def write(score: Value) -> Value:
        x = 2.0 * score - 1.0
        log = call("log", (1.0 - x) * (1.0 + x))
        half = float(np.float32(2 / (_PI * _WINITZKI))) + 0.5 * log
        size = call("sqrt", call("sqrt", half * half - float(np.float32(1 / _WINITZKI)) * log) - half)
        return float(np.float32(np.sqrt(2))) * select(x < 0, call("neg", size), size)

    return elementwise(node, scope, [scores], write)


_TRANSFORMS: Mapping[str, _Transform] = {
    "LOGISTIC": _logistic,
    "PROBIT": _probit,
    "SOFTMAX": _softmax,
    "SOFTMAX_ZERO": _softmax_zero,
}
_ALONE = ("NONE", "PROBIT")  # transforms of a single score; onnxruntime leaves it as it is under the others


def regressor(node: Node, scope: Scope) -> SSAValue:
    """LinearRegressor: samples x targets."""
    count = node.integer("targets", 1)
    transform = _transform_of(node)
    if count == 1 and transform not in _ALONE:
        transform = "NONE"
    return _transformed(node, scope, transform, lambda inner: _scores(inner, scope, count))


def classifier(node: Node, scope: Scope) -> tuple[SSAValue | None, SSAValue | None]:
    """LinearClassifier: the label of each sample, int64, and samples x classes.

    With one row of coefficients there are two classes, and a score that is positive speaks for the second.
    """
    count, transform = len(_reals(node, "intercepts")), _transform_of(node)
    labels = node.integers("classlabels_ints", ())
    if node.attributes.get("classlabels_strings"):
        node.refuse("has labels that are strings: export the model with integer labels")
    if len(labels) != max(2, count):
        node.refuse(f"has {len(labels)} integer labels, but {count} rows of coefficients: {max(2, count)} are needed")
    if count == 1 and transform == "PROBIT":
        node.refuse("transforms a single score by PROBIT, of which onnxruntime makes no second one")
    raw = _scores(replace(node, name=f"{node.name}/product", outputs=(f"{node.outputs[0]}/scores",)), scope, count)
    used = [bool(name) and name in scope.used for name in (*node.outputs, "")[:2]]
    label = _label(replace(node, outputs=node.outputs[:1]), scope, raw, labels) if used[0] else None
    if not used[1]:
        return label, None
    node = replace(node, name=f"{node.name}/scores", outputs=node.outputs[1:])
    if count == 1:
        return label, _two(node, scope, raw, transform)
    return label, _transformed(node, scope, transform, lambda _: raw)


def _transform_of(node: Node) -> str:
    name = node.text("post_transform", "NONE")
    if name not in (*_TRANSFORMS, "NONE"):
        node.refuse(f"has the post_transform {name!r}, which ONNX does not know: NONE, {', '.join(_TRANSFORMS)} are")
    return name


def _reals(node: Node, name: str) -> np.ndarray:
    return np.asarray(node.attributes.get(name, ()), np.float32)


def _scores(node: Node, scope: Scope, count: int) -> SSAValue:
    """x [samples, features] times the coefficients [count, features], transposed, plus intercepts if there are any."""
    x = features(node, scope)
    coefficients, intercepts, shape = _reals(node, "coefficients"), _reals(node, "intercepts"), shape_of(x)
    if count < 1 or coefficients.size != count * shape[-1]:
        node.refuse(f"has {coefficients.size} coefficients for {count} scores of {shape[-1]} features each")
    names = [f"{node.outputs[0]}/{part}" for part in ("features", "coefficients", "intercepts")]
    if dtype_of(x) != DType.f32:
        x = elementwise(node, scope, [x], lambda v: cast(v, DType.f32), "wide")
    if len(shape) == 1:
        x = scope.emit(ReshapeOp, node, [x], (1, *shape), part="row")
    scope.define(names[0], x)
    scope.define(names[1], coefficients.reshape(count, -1))
    scope.define(names[2], intercepts)
    given = tuple(names[: 3 if intercepts.size == count else 2])
    return gemm(replace(node, kind="Gemm", inputs=given, attributes={"transB": 1}), scope)


def _transformed(node: Node, scope: Scope, transform: str, scores: Callable[[Node], SSAValue]) -> SSAValue:
    """What `scores` makes of a node, transformed."""
    if transform == "NONE":
        return scores(node)
    raw = scores(replace(node, name=f"{node.name}/product", outputs=(f"{node.outputs[0]}/product",)))
    return _TRANSFORMS[transform](node, scope, raw)


def _two(node: Node, scope: Scope, score: SSAValue, transform: str) -> SSAValue:
    """[samples, 2] of one score of each sample: s and 1 - s, or their logistic functions."""

    def write(s: Value) -> Value:
        second = index(1).same(constant(1, DType.i64))
        if transform == "LOGISTIC":
            return call("sigmoid", select(second, s, call("neg", s)))
        return select(second, s, 1.0 - s)

    return written(node, scope, [score], write, (shape_of(score)[0], 2))


def _label(node: Node, scope: Scope, scores: SSAValue, labels: tuple[int, ...]) -> SSAValue:
    """The label of each sample, [samples]: of the first of its largest scores, or by the sign of its only one."""
    name, (samples, count) = node.outputs[0], shape_of(scores)
    if count == 1:
        flat = scope.emit(ReshapeOp, node, [scores], (samples,), part="flat")
        first, second = (constant(label, DType.i64) for label in labels)
        return elementwise(node, scope, [flat], lambda score: select(score > 0, second, first))
    plain = labels == tuple(range(count))
    places = f"{name}/place"
    scope.define(f"{name}/raw", scores)
    attributes = {"axis": 1, "keepdims": 0}
    inner = replace(node, kind="ArgMax", inputs=(f"{name}/raw",), attributes=attributes)
    if plain:
        return arg(inner, scope)
    scope.define(places, arg(replace(inner, name=f"{node.name}/place", outputs=(places,)), scope))
    scope.define(f"{name}/labels", np.asarray(labels, np.int64))
    return gather(replace(node, kind="Gather", inputs=(f"{name}/labels", places), attributes={"axis": 0}), scope)


OPERATORS = {"LinearClassifier": classifier, "LinearRegressor": regressor}
