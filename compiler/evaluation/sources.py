"""Computes tensors of an ONNX model by onnxruntime or by onnx's own reference, as ONNX defines them."""

# Imports nothing of this project: it is also loaded by path, in the process that computes golden values.
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .graphs import Shapes, nodes, with_outputs, with_shapes, without_dead_nodes
from .products import UnknownType, product_of, unsigned_products
from .resizing import resizes_otherwise
from .versions import Newer, defined, in_known_versions, is_known, opset, without

# Error codes and C++ locations with which onnxruntime's messages begin.
NOISE = re.compile(r"^\[ONNXRuntimeError\] : \d+ : [A-Z_]+ : (/onnxruntime_src/\S+ [^()]*\([^()]*\) )?")
LACKING = re.compile(r"Could not find an implementation for (\w+)\(")
Runner = Callable[[dict[str, np.ndarray]], Sequence[np.ndarray]]
Edit = Callable[[Any], Any]  # of a model that was loaded for one evaluation


class Refused(Exception):
    """The model or the request cannot be computed; the text says why."""


def _fits(declared: Sequence[int | str | None], shape: Sequence[int]) -> bool:
    """Whether an input that is declared so takes `shape`; names and None are dynamic, no dimensions may be unknown."""
    if not declared:
        return True
    pairs = zip(declared, shape, strict=False)
    return len(declared) == len(shape) and all(not isinstance(a, int) or a == b for a, b in pairs)


def model_of(path: Path, weights: bool = False) -> Any:
    """The model of a file, without the `weights` that are in files of their own; raises Refused."""
    import onnx

    try:
        return onnx.load(str(path), load_external_data=weights)
    except Exception as error:
        raise Refused(f"{path} is not a readable ONNX file: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return NOISE.sub("", text.splitlines()[0])[:300]


def _onnxruntime(path: Path, tensors: Sequence[str], shapes: Shapes, edit: Edit | None = None) -> tuple[str, Runner]:
    """onnxruntime on one thread and without graph optimisation: each node as ONNX defines it, integers exactly.

    Where it does not know an operator, or is known to make something else of it, onnx's own evaluator takes its place.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    model = model_of(path)
    if resizes_otherwise(model, shapes):
        try:
            name, reference = _reference(path, tensors, shapes, edit)
        except Refused:
            pass  # of two wrong evaluators the one that can
        else:
            return f"{name}, as onnxruntime {onnxruntime.__version__} takes whole lengths for broken ones", reference
    try:
        session, rewritten = _session(onnxruntime, path, model, tensors, shapes, options, edit)
    except Newer:
        name, reference = _reference(path, tensors, shapes, edit)
        return f"{name}, as onnxruntime {onnxruntime.__version__} does not know all operators", reference
    except UnknownType as error:
        raise Refused(f"{path}: {error}: compute the golden values with reference") from None
    except Exception as error:
        raise Refused(f"onnxruntime refuses {path}: {_first_line(error)}") from None

    def run(feeds: dict[str, np.ndarray]) -> Sequence[np.ndarray]:
        try:
            return session.run(list(tensors), feeds)
        except Exception as error:
            raise Refused(f"onnxruntime cannot run {path}: {_first_line(error)}") from None

    return f"onnxruntime {onnxruntime.__version__}{EXACTLY if rewritten else ''}", run


EXACTLY = ", 8-bit products as uint8 x uint8 (int8 saturates on some processors)"


def _session(
    onnxruntime: Any, path: Path, model: Any, tensors: Sequence[str], shapes: Shapes, options: Any, edit: Edit | None
) -> tuple[Any, bool]:
    """A session on the file if that is possible; else on its model in memory, edited, with weights where they are.

    It is edited if that is asked for, if it has dead nodes, if intermediate tensors or other shapes are wanted, if
    onnxruntime does not know its version of the file format or of the operators, or if products of int8 are rewritten,
    which is told.
    """
    providers = ["CPUExecutionProvider"]
    products = any(product_of(node) for node in nodes(model))
    if not without_dead_nodes(model, tensors) and is_known(model) and edit is None and not products:
        session = onnxruntime.InferenceSession(str(path), options, providers=providers)
        fits = all(_fits(entry.shape, shapes.get(entry.name, entry.shape)) for entry in session.get_inputs())
        if fits and {output.name for output in session.get_outputs()}.issuperset(tensors):
            return session, False
    model = with_outputs(with_shapes(edit(model) if edit else model, shapes), tensors)
    model, rewritten = unsigned_products(in_known_versions(model))
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(path.resolve().parent))
    while True:
        try:
            return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers), rewritten
        except Exception as error:
            lacking = LACKING.search(str(error))
            if lacking is None or not defined(model, lacking[1]):
                raise
            model = without(model, {lacking[1]})


# Operators whose evaluation in onnx.reference is wrong: below this opset, or always (None).
REFERENCE_WRONG: dict[str, int | None] = {
    "LRN": None,
    "BatchNormalization": 14,
    "Softmax": 13,
    "LogSoftmax": 13,
    "Hardmax": 13,
}


def _reference(path: Path, tensors: Sequence[str], shapes: Shapes, edit: Edit | None = None) -> tuple[str, Runner]:
    """onnx's own evaluator in NumPy, refused where it is known to be wrong; it takes inputs of any shape."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    model = model_of(path, weights=True)
    without_dead_nodes(model, tensors)
    model, version = edit(model) if edit else model, opset(model)
    for node in nodes(model):
        since = REFERENCE_WRONG.get(node.op_type, 0)
        if node.domain in ("", "ai.onnx") and (since is None or version < since):
            raise Refused(
                f"onnx.reference is wrong for {node.op_type} at opset {version} (node {node.name!r} of {path}): "
                "compute the golden values with onnxruntime"
            )
    try:
        evaluator = ReferenceEvaluator(with_outputs(model, tensors))
    except Exception as error:
        raise Refused(f"onnx.reference refuses {path}: {_first_line(error)}") from None

    def run(feeds: dict[str, np.ndarray]) -> Sequence[np.ndarray]:
        try:
            return [np.asarray(value) for value in evaluator.run(list(tensors), feeds)]
        except Exception as error:
            raise Refused(f"onnx.reference cannot run {path}: {_first_line(error)}") from None

    return f"onnx.reference {onnx.__version__}", run


class EvaluationSource(Protocol):
    """An evaluator: its name, and what computes `tensors` of the file `path`, after an `edit`, from arrays by name."""

    def __call__(
        self, path: Path, tensors: Sequence[str], shapes: Shapes, edit: Edit | None = None
    ) -> tuple[str, Runner]:
        """`shapes` are those of the inputs; raises Refused if the evaluator cannot."""
        ...


SOURCES: dict[str, EvaluationSource] = {"onnxruntime": _onnxruntime, "reference": _reference}
