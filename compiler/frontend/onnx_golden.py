"""Computes tensors of an ONNX model by onnxruntime or by onnx's own reference, as ONNX defines them."""

# Imports nothing of this project: it is loaded by path in the process that computes golden values.
from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

# Error codes and C++ locations with which onnxruntime's messages begin.
NOISE = re.compile(r"^\[ONNXRuntimeError\] : \d+ : [A-Z_]+ : (/onnxruntime_src/\S+ [^()]*\([^()]*\) )?")
LACKING = re.compile(r"Could not find an implementation for (\w+)\(")
NEWEST_FORMAT = 13  # version of the file format that onnxruntime knows; the next adds nothing that changes a result
OLDEST_OPSET, NEWEST_OPSET = 7, 26  # operator sets that it knows
Shapes = Mapping[str, tuple[int, ...]]  # of the inputs, as compiled
Runner = Callable[[dict[str, np.ndarray]], Sequence[np.ndarray]]


class Refused(Exception):
    """The model or the request cannot be computed; the text says why."""


class Newer(Exception):
    """The model has an operator that onnxruntime does not know, and ONNX does not define by others."""


def _with_outputs(model: Any, tensors: Sequence[str]) -> Any:
    """The model with `tensors` added to its outputs."""
    import onnx

    known = {output.name for output in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in tensors if name not in known)
    return model


def _without_dead_nodes(model: Any, tensors: Sequence[str]) -> bool:
    """Remove the nodes that `tensors` do not depend on: they may be of any size, and nobody has checked them.

    Returns whether there were any.
    """
    needed, live = set(tensors), []
    for node in reversed(model.graph.node):
        if needed.intersection(node.output):
            live.append(node)
            for inner in _all_nodes([node]):  # sub-graphs see the names around them
                needed.update(inner.input)
    if len(live) == len(model.graph.node):
        return False
    kept = [type(node).FromString(node.SerializeToString()) for node in reversed(live)]
    outputs = [output for output in model.graph.output if output.name in tensors]
    outputs = [type(output).FromString(output.SerializeToString()) for output in outputs]
    del model.graph.node[:], model.graph.output[:]
    model.graph.node.extend(kept)
    model.graph.output.extend(outputs)
    return True


def _with_shapes(model: Any, shapes: Shapes) -> Any:
    """The model with its inputs fixed to `shapes`; what it says about other shapes may no longer be true and goes."""
    import onnx

    for value in model.graph.input:
        if value.name in shapes:
            dims = [onnx.TensorShapeProto.Dimension(dim_value=size) for size in shapes[value.name]]
            value.type.tensor_type.shape.CopyFrom(onnx.TensorShapeProto(dim=dims))
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    return model


def _fits(declared: Sequence[int | str | None], shape: Sequence[int]) -> bool:
    """Whether an input that is declared so takes `shape`; names and None are dynamic, no dimensions may be unknown."""
    if not declared:
        return True
    pairs = zip(declared, shape, strict=False)
    return len(declared) == len(shape) and all(not isinstance(a, int) or a == b for a, b in pairs)


def _load(path: Path, weights: bool = True) -> Any:
    import onnx

    try:
        return onnx.load(str(path), load_external_data=weights)
    except Exception as error:
        raise Refused(f"{path} is not a readable ONNX file: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return NOISE.sub("", text.splitlines()[0])[:300]


def _onnxruntime(path: Path, tensors: Sequence[str], shapes: Shapes) -> tuple[str, Runner]:
    """onnxruntime on one thread and without graph optimisation: each node as ONNX defines it."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = _session(onnxruntime, path, tensors, shapes, options)
    except Newer:
        return _reference(path, tensors, shapes)
    except Exception as error:
        raise Refused(f"onnxruntime refuses {path}: {_first_line(error)}") from None

    def run(feeds: dict[str, np.ndarray]) -> Sequence[np.ndarray]:
        try:
            return session.run(list(tensors), feeds)
        except Exception as error:
            raise Refused(f"onnxruntime cannot run {path}: {_first_line(error)}") from None

    return f"onnxruntime {onnxruntime.__version__}", run


def _session(onnxruntime: Any, path: Path, tensors: Sequence[str], shapes: Shapes, options: Any) -> Any:
    """A session on the file if that is possible; else on the model in memory, edited, with its weights where they are.

    It is edited if it has dead nodes, if intermediate tensors or other shapes are asked for, or if onnxruntime does not
    know its version of the file format or of the operators.
    """
    providers = ["CPUExecutionProvider"]
    model = _load(path, weights=False)
    known = model.ir_version <= NEWEST_FORMAT and OLDEST_OPSET <= _opset(model) <= NEWEST_OPSET
    if not _without_dead_nodes(model, tensors) and known:
        session = onnxruntime.InferenceSession(str(path), options, providers=providers)
        fits = all(_fits(entry.shape, shapes.get(entry.name, entry.shape)) for entry in session.get_inputs())
        if fits and {output.name for output in session.get_outputs()}.issuperset(tensors):
            return session
    model = _with_outputs(_with_shapes(model, shapes), tensors)
    model = _in_known_versions(model)
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(path.resolve().parent))
    while True:
        try:
            return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)
        except Exception as error:
            lacking = LACKING.search(str(error))
            if lacking is None or not _defined(model, lacking[1]):
                raise
            model = _without(model, {lacking[1]})


def _defined(model: Any, kind: str) -> bool:
    """Whether the model has nodes of an operator that ONNX defines by others."""
    import onnx

    schema: Any = onnx.defs.get_schema(kind, _opset(model), "")
    return any(node.op_type == kind for node in _nodes(model)) and (
        schema.has_function or schema.has_context_dependent_function
    )


def _without(model: Any, kinds: set[str]) -> Any:
    """The model with the definitions of these operators in place of their nodes."""
    import onnx
    import onnx.inliner

    for node in (node for node in _nodes(model) if node.op_type in kinds):
        given = {attribute.name for attribute in node.attribute}
        schema: Any = onnx.defs.get_schema(node.op_type, _opset(model), "")
        defaults = [entry.default_value for name, entry in schema.attributes.items() if name not in given]
        node.attribute.extend(value for value in defaults if value.name)  # the inliner forgets them
    return onnx.inliner.inline_selected_functions(model, [("", kind) for kind in kinds], inline_schema_functions=True)


def _in_known_versions(model: Any) -> Any:
    """The model in a version of the file format, and an operator set, that onnxruntime knows."""
    if not model.opset_import:  # a file before version 3
        model.opset_import.add(version=1)
    # Before version 4 initialisers had to be inputs, which few files heed.
    model.ir_version = min(max(model.ir_version, 4), NEWEST_FORMAT)
    if _opset(model) > NEWEST_OPSET:
        return _lowered(model)
    return _raised(model) if _opset(model) < OLDEST_OPSET else model


def _raised(model: Any) -> Any:
    """The model in the oldest operator set that onnxruntime knows."""
    from onnx import version_converter

    if any(node.op_type == "PRelu" for node in _nodes(model)):  # its slope would lie along the wrong axis
        raise ValueError(f"PRelu of operator set {_opset(model)} cannot be converted to a newer one")
    return version_converter.convert_version(model, OLDEST_OPSET)


def _opset(model: Any) -> int:
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
    opset = _opset(model)
    if new := _newer(model, opset):
        model = _without(model, new)
    if _newer(model, opset):
        raise Newer
    _set_opset(model, NEWEST_OPSET)
    return model


def _newer(model: Any, opset: int) -> set[str]:
    """The standard operators that mean something else in the newest operator set that onnxruntime knows."""
    return {n.op_type for n in _nodes(model) if n.domain in ("", "ai.onnx") and not _is_older(n, opset)}


def _is_older(node: Any, opset: int) -> bool:
    """Whether `node` means the same in the newest operator set that onnxruntime knows.

    What newer sets add to an operator are element types and attributes.
    """
    import onnx

    if onnx.defs.get_schema(node.op_type, opset, "").since_version <= NEWEST_OPSET:
        return True
    if not onnx.defs.has(node.op_type, NEWEST_OPSET, ""):
        return False
    older = onnx.defs.get_schema(node.op_type, NEWEST_OPSET, "")
    return all(attribute.name in older.attributes for attribute in node.attribute)


# Operators whose evaluation in onnx.reference is wrong: below this opset, or always (None).
REFERENCE_WRONG: dict[str, int | None] = {
    "LRN": None,
    "BatchNormalization": 14,
    "Softmax": 13,
    "LogSoftmax": 13,
    "Hardmax": 13,
}


def _reference(path: Path, tensors: Sequence[str], shapes: Shapes) -> tuple[str, Runner]:
    """onnx's own evaluator in NumPy, refused where it is known to be wrong; it takes inputs of any shape."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    model = _load(path)
    _without_dead_nodes(model, tensors)
    opset = next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), 1)
    for node in _nodes(model):
        since = REFERENCE_WRONG.get(node.op_type, 0)
        if node.domain in ("", "ai.onnx") and (since is None or opset < since):
            raise Refused(
                f"onnx.reference is wrong for {node.op_type} at opset {opset} (node {node.name!r} of {path}): "
                "compute the golden values with onnxruntime"
            )
    try:
        evaluator = ReferenceEvaluator(_with_outputs(model, tensors))
    except Exception as error:
        raise Refused(f"onnx.reference refuses {path}: {_first_line(error)}") from None

    def run(feeds: dict[str, np.ndarray]) -> Sequence[np.ndarray]:
        try:
            return [np.asarray(value) for value in evaluator.run(list(tensors), feeds)]
        except Exception as error:
            raise Refused(f"onnx.reference cannot run {path}: {_first_line(error)}") from None

    return f"onnx.reference {onnx.__version__}", run


def _nodes(model: Any) -> list[Any]:
    """All nodes, those of functions and sub-graphs included."""
    return _all_nodes([*model.graph.node, *(node for function in model.functions for node in function.node)])


def _all_nodes(nodes: Sequence[Any]) -> list[Any]:
    """The nodes and those of the graphs in their attributes."""
    pending, visited = list(nodes), []
    while pending:
        node = pending.pop()
        visited.append(node)
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                pending.extend(graph.node)
    return visited


SOURCES: dict[str, Callable[[Path, Sequence[str], Shapes], tuple[str, Runner]]] = {
    "onnxruntime": _onnxruntime,
    "reference": _reference,
}
