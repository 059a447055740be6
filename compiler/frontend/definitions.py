"""Operators that ONNX defines by others: the nodes that stand for a node, as its definition has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import onnx
from onnx import AttributeProto, FunctionProto, NodeProto, TypeProto
from onnx.defs import SchemaError

from compiler.frontend.body import FunctionBody, graphs_of

STANDARD_DOMAINS = ("", "ai.onnx")


def has_definition(node: NodeProto, opset: int) -> bool:
    """Whether operator set `opset` defines the operator of `node` by others, for some types at least."""
    schema = _schema(node, opset)
    return schema is not None and bool(schema.has_function or schema.has_context_dependent_function)


def definition(node: NodeProto, opset: int, types: Sequence[TypeProto]) -> FunctionBody | None:
    """The nodes that stand for `node` with inputs of `types` (an empty one if left out); None if ONNX has none."""
    schema = _schema(node, opset)
    function = None if schema is None else _function(schema, node, opset, types)
    if schema is None or function is None:
        return None
    given = {attribute.name: attribute for attribute in node.attribute}
    defaults = {name: entry.default_value for name, entry in schema.attributes.items() if entry.default_value.name}
    values = {**defaults, **{entry.name: entry for entry in function.attribute_proto}, **given}
    nodes = [_bound(inner, values) for inner in function.node]
    actual = [*node.input, *[""] * (len(function.input) - len(node.input))]
    results = [*node.output, *[""] * (len(function.output) - len(node.output))]
    version = next((entry.version for entry in function.opset_import if entry.domain in STANDARD_DOMAINS), opset)
    return FunctionBody(
        nodes,
        dict(zip(function.input, actual, strict=False)),
        [(inner, name) for inner, name in zip(function.output, results, strict=False) if name],
        version,
    )


def _schema(node: NodeProto, opset: int) -> Any:
    """The OpSchema of its operator, whose type stubs lack what is used here; None if there is none."""
    if node.domain not in STANDARD_DOMAINS:
        return None
    try:
        return onnx.defs.get_schema(node.op_type, opset, "")
    except SchemaError:
        return None


def _function(schema: Any, node: NodeProto, opset: int, types: Sequence[TypeProto]) -> FunctionProto | None:
    """The definition for the newest operator set up to `opset`, or for the first one that it was written for."""
    try:
        if schema.has_function:
            version = _best(schema.function_opset_versions, opset)
            return FunctionProto.FromString(schema.get_function_with_opset_version(version))
        if schema.has_context_dependent_function:
            version = _best(schema.context_dependent_function_opset_versions, opset)
            content = [kind.SerializeToString() for kind in types]
            made = schema.get_context_dependent_function_with_opset_version(version, node.SerializeToString(), content)
            return FunctionProto.FromString(made) if made else None
    except Exception:  # the C++ builders raise untyped exceptions for types and forms that they do not know
        return None
    return None


def _best(versions: Sequence[int], opset: int) -> int:
    return max((version for version in versions if version <= opset), default=min(versions))


def _bound(node: NodeProto, values: Mapping[str, AttributeProto]) -> NodeProto:
    """`node` with the attributes of the call where it refers to them; a reference to one that is absent goes."""
    copy = NodeProto.FromString(node.SerializeToString())
    del copy.attribute[:]
    for attribute in node.attribute:
        if attribute.ref_attr_name:
            if attribute.ref_attr_name in values:
                bound = copy.attribute.add()
                bound.CopyFrom(values[attribute.ref_attr_name])
                bound.name = attribute.name
            continue
        copy.attribute.add().CopyFrom(attribute)
        for graph in graphs_of(copy.attribute[-1]):
            inner = [_bound(entry, values) for entry in graph.node]
            del graph.node[:]
            graph.node.extend(inner)
    return copy
