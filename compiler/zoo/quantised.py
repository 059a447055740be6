"""Networks of the zoo with int8 weights and activations, by onnxruntime's static quantiser."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto

from emu.errors import CompileError

FORMS = ("qoperator", "qdq")  # QLinearConv and the like, or floats between DequantizeLinear and QuantizeLinear
SAMPLES = 8  # of random inputs, whose ranges scales are computed from


def quantised(model: ModelProto, form: str, seed: int) -> ModelProto:
    """`model` quantised to int8, weights per channel, with scales for random inputs of `seed`; `form` is of `FORMS`.

    Raises CompileError if onnxruntime, which does it, is not installed.
    """
    try:
        from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
        from onnxruntime.quantization.shape_inference import quant_pre_process
    except ImportError as error:
        raise CompileError(f"quantising needs onnxruntime, which cannot be imported ({error}): install it") from error
    formats = {"qoperator": QuantFormat.QOperator, "qdq": QuantFormat.QDQ}
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)  # it advises what is done here
    try:
        with tempfile.TemporaryDirectory() as folder:
            prepared, made = Path(folder) / "prepared.onnx", Path(folder) / "quantised.onnx"
            quant_pre_process(model, str(prepared), skip_symbolic_shape=True)  # all shapes are numbers
            quantize_static(
                str(prepared),
                str(made),
                _RandomInputs(model, seed),  # pyright: ignore[reportArgumentType]
                quant_format=formats[form],
                per_channel=True,
                activation_type=QuantType.QInt8,
                weight_type=QuantType.QInt8,
            )
            return onnx.load_model(made)
    finally:
        logging.disable(before)


class _RandomInputs:
    """Random inputs, one sample after another, as onnxruntime's CalibrationDataReader gives them."""

    def __init__(self, model: ModelProto, seed: int) -> None:
        rng = np.random.default_rng(seed)
        shapes = {
            value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim] for value in model.graph.input
        }
        self._samples: Iterator[dict[str, np.ndarray]] = iter(
            [
                {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
                for _ in range(SAMPLES)
            ]
        )

    def get_next(self) -> dict[str, np.ndarray] | None:
        """The next sample; None after the last one."""
        return next(self._samples, None)

    def __iter__(self) -> Iterator[dict[str, np.ndarray]]:
        return self._samples

    def __len__(self) -> int:
        return SAMPLES
