"""The quantised network of the examples: no bit differs from onnxruntime's, on all images."""

from pathlib import Path

import numpy as np
import onnx
from in_process import compile_in_memory, golden, run_in_process

from emu.arch import Arch, Core, Crossbar
from emu.isa.dtypes import DType

EXAMPLES = Path(__file__).parents[2] / "examples"
ARCH = Arch(name="digits", cores=64, core=Core(crossbars=16), crossbar=Crossbar(128, 128))


def test_no_output_differs_on_450_images():
    model, images = onnx.load(EXAMPLES / "digits_cnn_int8.onnx"), np.load(EXAMPLES / "digits_test.npz")["in0"]
    compiled = compile_in_memory(model, ARCH, 16)
    groups = [group for program in compiled.programs.values() for group in program.groups]
    assert {(group.input, group.weight, group.output) for group in groups} == {(DType.i8, DType.i8, DType.i32)}
    samples = [{"in0": image[None]} for image in images]
    found = run_in_process(compiled, samples)
    assert len(found) == 450
    for outputs, sample in zip(found, samples, strict=True):
        np.testing.assert_array_equal(outputs["out0"], golden(model, sample)["out0"])
