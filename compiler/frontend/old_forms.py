"""Nodes of the first six operator sets in the form of the seventh, from which on import functions read them.

onnx.version_converter is no way to get there: it lacks Cast, Equal, Pad, Split, Tile and LSTM, and leaves the slope of
PRelu along the wrong axis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper

from compiler.evaluation.graphs import put
from compiler.frontend.body import Namer
from compiler.frontend.graph_checks import node_label
from compiler.frontend.nodes.scope import Scope
from emu.errors import CompileError

MODERN = 7
_TYPES = dict(TensorProto.DataType.items())
# Attributes that said what inference does not need, or what always holds since.
_DROPPED = ("consumed_inputs", "is_test", "broadcast", "output_sequence")


def modern_nodes(node: NodeProto, scope: Scope, fresh: Namer) -> list[NodeProto]:
    """The nodes that say what `node` does, the last one with its outputs; raises CompileError if it cannot be told."""
    modern = NodeProto()
    modern.CopyFrom(node)
    given = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    _set(modern, dict.fromkeys(_DROPPED))
    before = _FORMS[node.op_type](modern, given, scope, fresh) if node.op_type in _FORMS else []
    return [*before, modern]


def _set(node: NodeProto, values: Mapping[str, Any]) -> None:
    """Give `node` these attributes in place of those of the same names; None takes one away."""
    kept = [attribute for attribute in node.attribute if attribute.name not in values]
    kept += [helper.make_attribute(name, value) for name, value in values.items() if value is not None]
    put(node.attribute, kept)


def _constant(node: NodeProto, place: int, values: Any, scope: Scope, fresh: Namer) -> None:
    """Make `values` (int64) the input `place` of `node`."""
    name = fresh(f"{node_label(node)}/constant")
    scope.define(name, np.array(values, np.int64))
    inputs = [*node.input[:place], name]
    del node.input[:]
    node.input.extend(inputs)


def _spread(node: NodeProto, axis: int, scope: Scope, fresh: Namer) -> list[NodeProto]:
    """A node that adds axes of size 1 to the second input, so that its own begin at `axis` of the first; or none."""
    left, right = scope.shape(node.input[0]), scope.shape(node.input[1])
    begin = axis + len(left) if axis < 0 else axis
    missing = len(left) - begin - len(right)
    if begin < 0 or missing < 0:
        raise CompileError(
            f"{scope.where}: node '{node_label(node)}' ({node.op_type}) broadcasts {list(right)} to {list(left)} "
            f"from axis {axis}: it does not fit"
        )
    if not missing:
        return []
    name = fresh(f"{node_label(node)}/broadcast")
    spread = helper.make_node("Unsqueeze", [node.input[1]], [name], axes=list(range(len(right), len(right) + missing)))
    node.input[1] = name
    return [spread]


def _broadcast(node: NodeProto, given: Mapping[str, Any], scope: Scope, fresh: Namer) -> list[NodeProto]:
    _set(node, {"axis": None})
    return _spread(node, given["axis"], scope, fresh) if given.get("broadcast") and "axis" in given else []


def _slopes(node: NodeProto, given: Mapping[str, Any], scope: Scope, fresh: Namer) -> list[NodeProto]:
    """PRelu: a slope for each channel."""
    one = scope.shape(node.input[1]) in ((), (1,)) or len(scope.shape(node.input[0])) < 2
    return [] if one else _spread(node, 1, scope, fresh)


def _cast(node: NodeProto, given: Mapping[str, Any], scope: Scope, fresh: Namer) -> list[NodeProto]:
    to = given.get("to")
    if isinstance(to, bytes):
        name = to.decode(errors="replace").upper()
        if name not in _TYPES:
            raise CompileError(
                f"{scope.where}: node '{node_label(node)}' (Cast) makes a {name!r}, which is no type: export it again"
            )
        _set(node, {"to": int(_TYPES[name])})
    return []


def _concat(node: NodeProto, given: Mapping[str, Any], scope: Scope, fresh: Namer) -> list[NodeProto]:
    _set(node, {"axis": given.get("axis", 1)})
    return []


def _pad(node: NodeProto, given: Mapping[str, Any], scope: Scope, fresh: Namer) -> list[NodeProto]:
    if "paddings" in given:
        _set(node, {"paddings": None, "pads": given["paddings"]})
    return []


def _reshape(node: NodeProto, given: Mapping[str, Any], scope: Scope, fresh: Namer) -> list[NodeProto]:
    if "shape" in given:
        _set(node, {"shape": None})
        _constant(node, 1, given["shape"], scope, fresh)
    return []


def _split(node: NodeProto, given: Mapping[str, Any], scope: Scope, fresh: Namer) -> list[NodeProto]:
    """Its sizes could be an input in the first set, and became an attribute before they became an input again."""
    if len(node.input) > 1:
        _set(node, {"split": _numbers(node, 1, scope)})
        del node.input[1:]
    return []


def _tile(node: NodeProto, given: Mapping[str, Any], scope: Scope, fresh: Namer) -> list[NodeProto]:
    """How often, and along which axis, were two inputs."""
    if len(node.input) == 3:
        times, axis = _numbers(node, 1, scope), _numbers(node, 2, scope)
        repeats = [1] * len(scope.shape(node.input[0]))
        if len(times) != 1 or len(axis) != 1 or not -len(repeats) <= axis[0] < len(repeats):
            raise CompileError(
                f"{scope.where}: node '{node_label(node)}' (Tile) has repeats or an axis that are not one number "
                "that fits: export it again"
            )
        repeats[axis[0]] = times[0]
        _constant(node, 1, repeats, scope, fresh)
    return []


def _upsample(node: NodeProto, given: Mapping[str, Any], scope: Scope, fresh: Namer) -> list[NodeProto]:
    if "height_scale" in given:
        scales = [1.0, 1.0, given["height_scale"], given.get("width_scale", 1.0)]
        _set(node, {"height_scale": None, "width_scale": None, "scales": scales})
    return []


def _power(node: NodeProto, given: Mapping[str, Any], scope: Scope, fresh: Namer, name: str) -> list[NodeProto]:
    """A power of pooling, which was a float."""
    _set(node, {name: int(given.get(name, 2))})
    return []


def _numbers(node: NodeProto, place: int, scope: Scope) -> list[int]:
    """The integers of a constant input."""
    array = scope.constants.get(node.input[place])
    if array is None:
        raise CompileError(
            f"{scope.where}: node '{node_label(node)}' ({node.op_type}) computes '{node.input[place]}' at run time, "
            "but the compiler needs it constant"
        )
    return [int(value) for value in array.reshape(-1)]


_Form = Callable[[NodeProto, Mapping[str, Any], Scope, Namer], list[NodeProto]]
# Operator -> changes a node of it in place, and makes nodes that come before it.
_FORMS: Mapping[str, _Form] = {
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "Pow"), _broadcast),
    **dict.fromkeys(("And", "Or", "Xor", "Equal", "Less", "Greater"), _broadcast),
    "Cast": _cast,
    "Concat": _concat,
    "GlobalLpPool": partial(_power, name="p"),
    "LpPool": partial(_power, name="p"),
    "PRelu": _slopes,
    "Pad": _pad,
    "Reshape": _reshape,
    "Split": _split,
    "Tile": _tile,
    "Upsample": _upsample,
}
