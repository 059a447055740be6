"""Brings ONNX models into the versions of file format and operator set that onnxruntime knows."""

# Imports nothing of this project: it is also loaded by path, in the process that computes golden values.
from __future__ import annotations

from typing import Any

from .graphs import nodes

NEWEST_FORMAT = 13  # version of the file format that onnxruntime knows; the next adds nothing that changes a result
OLDEST_OPSET, NEWEST_OPSET = 7, 26  # operator sets that it knows


class Newer(Exception):
    """The model has an operator that onnxruntime does not know, and ONNX does not define by others."""


def is_known(model: Any) -> bool:
    """Whether onnxruntime knows the version of the file format, and that of the operator set."""
    return model.ir_version <= NEWEST_FORMAT and OLDEST_OPSET <= opset(model) <= NEWEST_OPSET


def defined(model: Any, kind: str) -> bool:
    """Whether the model has nodes of an operator that ONNX defines by others."""
    import onnx

    schema: Any = onnx.defs.get_schema(kind, opset(model), "")
    return any(node.op_type == kind for node in nodes(model)) and (
        schema.has_function or schema.has_context_dependent_function
    )


def without(model: Any, kinds: set[str]) -> Any:
    """The model with the definitions of these operators in place of their nodes."""
    import onnx
    import onnx.inliner

    for node in (node for node in nodes(model) if node.op_type in kinds):
        given = {attribute.name for attribute in node.attribute}
        schema: Any = onnx.defs.get_schema(node.op_type, opset(model), "")
        defaults = [entry.default_value for name, entry in schema.attributes.items() if name not in given]
        node.attribute.extend(value for value in defaults if value.name)  # the inliner forgets them
    return onnx.inliner.inline_selected_functions(model, [("", kind) for kind in kinds], inline_schema_functions=True)


def in_known_versions(model: Any) -> Any:
    """The model in a version of the file format, and an operator set, that onnxruntime knows."""
    if not model.opset_import:  # a file before version 3
        model.opset_import.add(version=1)
    # Before version 4 initialisers had to be inputs, which few files heed.
    model.ir_version = min(max(model.ir_version, 4), NEWEST_FORMAT)
    if opset(model) > NEWEST_OPSET:
        return _lowered(model)
    return _raised(model) if opset(model) < OLDEST_OPSET else model


def _raised(model: Any) -> Any:
    """The model in the oldest operator set that onnxruntime knows."""
    from onnx import version_converter

    if any(node.op_type == "PRelu" for node in nodes(model)):  # its slope would lie along the wrong axis
        raise ValueError(f"PRelu of operator set {opset(model)} cannot be converted to a newer one")
    return version_converter.convert_version(model, OLDEST_OPSET)


def opset(model: Any) -> int:
    """The standard operator set of a model; the oldest files do not say it."""
    return max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=1)


def _set_opset(model: Any, version: int) -> None:
    for owner in (model, *model.functions):
        for entry in owner.opset_import:
            if entry.domain in ("", "ai.onnx"):
                entry.version = version


def _lowered(model: Any) -> Any:
    """The model with the newest operator set that onnxruntime knows, in which its operators must mean the same.

    New operators that ONNX defines by older ones are replaced by those; raises Newer if there are others.
    """
    version = opset(model)
    if new := _newer(model, version):
        model = without(model, new)
    if _newer(model, version):
        raise Newer
    _set_opset(model, NEWEST_OPSET)
    return model


def _newer(model: Any, version: int) -> set[str]:
    """The standard operators that mean something else in the newest operator set that onnxruntime knows."""
    return {n.op_type for n in nodes(model) if n.domain in ("", "ai.onnx") and not _is_older(n, version)}


def _is_older(node: Any, version: int) -> bool:
    """Whether `node` means the same in the newest operator set that onnxruntime knows.

    What newer sets add to an operator are element types and attributes.
    """
    import onnx

    if onnx.defs.get_schema(node.op_type, version, "").since_version <= NEWEST_OPSET:
        return True
    if not onnx.defs.has(node.op_type, NEWEST_OPSET, ""):
        return False
    older = onnx.defs.get_schema(node.op_type, NEWEST_OPSET, "")
    return all(attribute.name in older.attributes for attribute in node.attribute)
