"""Texts that torch-mlir, IREE and jax (by way of StableHLO) printed: cores make what torch, ONNX and jax computed."""

import pytest
from in_process import compile_in_memory, run_in_process
from printed_texts import FOLDER, check, values_of

from compiler.dialects import integer, onnx
from compiler.frontend.text.importer import import_text
from compiler.frontend.text.parsing import parse_text
from compiler.frontend.text.signature import signature_of
from compiler.interpreter.host.run import run_function
from compiler.session.context import make_context
from emu.arch import Arch, Core, Crossbar

SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(32, 32))
PRODUCTS = (onnx.ConvOp, onnx.MatMulOp, integer.ConvOp, integer.MatMulOp)
TEXTS = {  # products that crossbars do
    "torch_cnn": 3,
    "torch_transformer": 4,
    "torch_int8": 1,
    "torch_odd": 1,
    "torch_embedding": 1,
    "torch_lstm": 3,
    "torch_grouped": 2,
    "torch_dynamic": 2,
    "iree_onnx": 2,
    "jax_mlp": 2,
    "jax_conv": 1,
    "jax_int8": 1,
    "jax_einsum": 0,
}


def shapes_of(name):
    """Of inputs, where the text leaves some sizes open."""
    signature = signature_of(parse_text((FOLDER / f"{name}.mlir").read_bytes(), name))
    inputs, _ = values_of(name)
    return {key: array.shape for key, array in zip(signature.inputs, inputs, strict=True)}


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
    compiled = compile_in_memory(path, SMALL, shapes=shapes_of(name))
    (found,) = run_in_process(compiled, [dict(zip(names.inputs, inputs, strict=True))])
    for output, wanted in zip(names.outputs, outputs, strict=True):
        check(found[output], wanted)


@pytest.mark.parametrize(("name", "count"), TEXTS.items())
def test_products_go_to_crossbars(name, count):
    module = import_text(FOLDER / f"{name}.mlir", make_context(), shapes_of(name)).module
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
