"""Random programs of linalg: compiled whole and run by cores, they make what the reference interpreter makes."""

import numpy as np
import pytest
from hypothesis import given, settings
from support.draws import examples
from support.in_process import compile_in_memory, run_in_process
from support.random_texts import texts

from compiler.frontend.text.parsing import parse_text
from compiler.frontend.text.signature import signature_of
from compiler.interpreter.host.run import run_function
from emu.arch import Arch, Core, Crossbar

SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(8, 8))


def interpreted(text, inputs):
    """Outputs by name."""
    module = parse_text(text.encode(), "program.mlir")
    signature = signature_of(module)
    made = run_function(signature.function, module.module, [inputs[name] for name in signature.inputs], module.blobs)
    return dict(zip(signature.outputs, made, strict=True))


def check(made, folder):
    text, inputs = made
    path = folder / "program.mlir"
    path.write_text(text)
    wanted = interpreted(text, inputs)
    (found,) = run_in_process(compile_in_memory(path, SMALL), [inputs])
    for name, value in wanted.items():
        assert (found[name].dtype, found[name].shape) == (value.dtype, value.shape)
        if value.dtype.kind == "f":
            scale = max(1e-3, float(np.abs(value[np.isfinite(value)]).max(initial=0)))
            np.testing.assert_allclose(found[name], value, rtol=1e-4, atol=1e-5 * scale)
        else:
            np.testing.assert_array_equal(found[name], value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("texts")


@settings(max_examples=examples(25, 300))
@given(made=texts())
def test_random_programs(made, folder):
    check(made, folder)
