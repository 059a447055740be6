"""Networks of the zoo with int8 weights and activations, by onnxruntime's static quantiser."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, TypeProto
from onnx.helper import tensor_dtype_to_np_dtype

from emu.errors import CompileError

FORMS: Mapping[str, str] = {  # what the network is written with -> what onnxruntime calls it
    "qoperator": "QOperator",  # QLinearConv and the like
    "qdq": "QDQ",  # operators on floats between DequantizeLinear and QuantizeLinear
}
SAMPLES = 8  # of random inputs, whose ranges scales are computed from


def quantised(model: ModelProto, form: str, seed: int) -> ModelProto:
    """`model` quantised to int8, with scales for random inputs of `seed`; `form` is of `FORMS`.

    Weights have a scale per channel, unless there are stacks of matrices, for which onnxruntime takes one.
    Raises CompileError if onnxruntime, which does it, is not installed.
    """
    try:
        from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
        from onnxruntime.quantization.shape_inference import quant_pre_process
    except ImportError as error:
        raise CompileError(f"quantising needs onnxruntime, which cannot be imported ({error}): install it") from error
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)  # it advises what is done here
    try:
        with tempfile.TemporaryDirectory() as folder:
            given, prepared, made = (Path(folder) / f"{stage}.onnx" for stage in ("given", "prepared", "quantised"))
            onnx.save_model(model, given)  # of a model in memory it loses the weights of many operators
            quant_pre_process(str(given), str(prepared), skip_symbolic_shape=True)  # all shapes are numbers
            quantize_static(
                str(prepared),
                str(made),
                _RandomInputs(model, seed),  # pyright: ignore[reportArgumentType]
                quant_format=QuantFormat[FORMS[form]],
                per_channel=not _stacked(model),
                activation_type=QuantType.QInt8,
                weight_type=QuantType.QInt8,
            )
            return onnx.load_model(made)
    finally:
        logging.disable(before)


def _stacked(model: ModelProto) -> bool:
    """Whether a constant operand of a product is a stack of matrices."""
    stacks = {tensor.name for tensor in model.graph.initializer if len(tensor.dims) > 2}
    return any(node.op_type == "MatMul" and not stacks.isdisjoint(node.input) for node in model.graph.node)


class _RandomInputs:
    """Random inputs, one sample after another, as onnxruntime's CalibrationDataReader gives them."""

    def __init__(self, model: ModelProto, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self._samples: Iterator[dict[str, np.ndarray]] = iter(
            [{value.name: _drawn(value.type.tensor_type, rng) for value in model.graph.input} for _ in range(SAMPLES)]
        )

    def get_next(self) -> dict[str, np.ndarray] | None:
        """The next sample; None after the last one."""
        return next(self._samples, None)

    def __iter__(self) -> Iterator[dict[str, np.ndarray]]:
        return self._samples

    def __len__(self) -> int:
        return SAMPLES


def _drawn(kind: TypeProto.Tensor, rng: np.random.Generator) -> np.ndarray:
    """Standard normal floats; integers 0 and 1, which are tokens of any vocabulary, types and masks."""
    shape, dtype = [dim.dim_value for dim in kind.shape.dim], tensor_dtype_to_np_dtype(kind.elem_type)
    return (rng.standard_normal(shape) if dtype.kind == "f" else rng.integers(0, 2, shape)).astype(dtype)
