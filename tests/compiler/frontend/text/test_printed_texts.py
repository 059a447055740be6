"""Texts that torch-mlir printed, and jax by way of StableHLO: cores make what torch and jax computed."""

from pathlib import Path

import numpy as np
import pytest
from support.in_process import compile_in_memory, run_in_process

from compiler.dialects import integer, onnx
from compiler.frontend.text.importer import import_text
from compiler.frontend.text.parsing import parse_text
from compiler.frontend.text.signature import signature_of
from compiler.interpreter.host.run import run_function
from compiler.session.context import make_context
from emu.arch import Arch, Core, Crossbar

FOLDER = Path(__file__).with_name("printed")
SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(32, 32))
PRODUCTS = (onnx.ConvOp, onnx.MatMulOp, integer.ConvOp, integer.MatMulOp)
TEXTS = {  # products that crossbars do
    "torch_cnn": 3,
    "torch_transformer": 4,
    "torch_int8": 1,
    "torch_odd": 1,
    "jax_mlp": 2,
    "jax_conv": 1,
    "jax_int8": 1,
    "jax_einsum": 0,
}


def values_of(name):
    with np.load(FOLDER / f"{name}.npz") as arrays:
        inputs = [arrays[key] for key in sorted(arrays) if key.startswith("x")]
        return inputs, [arrays[key] for key in sorted(arrays) if key.startswith("y")]


def check(found, wanted):
    assert (found.shape, found.dtype.kind) == (wanted.shape, wanted.dtype.kind)
    if wanted.dtype.kind == "f":
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5 * max(1, np.abs(wanted).max()))
    else:
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("name", TEXTS)
def test_interpreted(name):
    inputs, outputs = values_of(name)
    text = parse_text((FOLDER / f"{name}.mlir").read_bytes(), name)
    made = run_function(signature_of(text).function, text.module, inputs, text.blobs)
    for found, wanted in zip(made, outputs, strict=True):
        check(found, wanted)


@pytest.mark.parametrize("name", TEXTS)
def test_compiled(name):
    inputs, outputs = values_of(name)
    path = FOLDER / f"{name}.mlir"
    names = signature_of(parse_text(path.read_bytes(), name))
    (found,) = run_in_process(compile_in_memory(path, SMALL), [dict(zip(names.inputs, inputs, strict=True))])
    for output, wanted in zip(names.outputs, outputs, strict=True):
        check(found[output], wanted)


@pytest.mark.parametrize(("name", "count"), TEXTS.items())
def test_products_go_to_crossbars(name, count):
    module = import_text(FOLDER / f"{name}.mlir", make_context(), {}).module
    assert sum(isinstance(op, PRODUCTS) for op in module.walk()) == count


def test_padding_bias_and_windows_join_the_convolution():
    module = import_text(FOLDER / "torch_cnn.mlir", make_context(), {}).module
    conv = next(op for op in module.walk() if isinstance(op, onnx.ConvOp))
    assert conv.pads.get_values() == (1, 1, 1, 1)
    assert isinstance(next(iter(conv.result.uses)).operation, onnx.BatchNormalizationOp)
    assert not [op for op in module.walk() if isinstance(op, onnx.PadOp)]
    assert [op for op in module.walk() if isinstance(op, onnx.MaxPoolOp)]


def test_doubles_are_told_of():
    context = make_context()
    import_text(FOLDER / "torch_transformer.mlir", context, {})
    assert [warning for warning in context.warnings if "f64" in warning]
