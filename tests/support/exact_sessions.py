"""onnxruntime for tests, with integers that are exact on every processor."""

from __future__ import annotations

import tempfile
from pathlib import Path

import onnx
import onnxruntime

from compiler.evaluation.products import unsigned_products


def exact_session(model: onnx.ModelProto, *, optimised: bool = False) -> onnxruntime.InferenceSession:
    """A session on one thread; `optimised`: with its fusions, which make products of integers of quantised floats."""
    copy = onnx.ModelProto.FromString(model.SerializeToString())
    exact, _ = unsigned_products(_optimised(copy) if optimised else copy)
    return _session(exact, _options())


def _session(model: onnx.ModelProto, options: onnxruntime.SessionOptions) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def _options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return options


def _optimised(model: onnx.ModelProto) -> onnx.ModelProto:
    """What onnxruntime's optimiser makes of a model, without what suits one processor only."""
    options = _options()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder) / "optimised.onnx")
        _session(model, options)
        return onnx.load(options.optimized_model_filepath)
