"""The backend of ONNX: models and nodes run on core processes, through the interface that others call."""

import gc
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.backend.base import Backend, BackendRep
from suite_cases import one_node

import launch.backend as backend
from emu.errors import CompileError, EmuError, InputError
from emu.output.scratch import scratch_place
from launch.conformance.prepared import PreparedModel
from launch.zoo import build

X = np.array([[-1.0, 0.5, 2.0]], np.float32)
WEIGHTS = np.arange(6, dtype=np.float32).reshape(3, 2)
RELU = one_node("Relu", [[1, 3]], [1, 3])
PRODUCT = one_node("MatMul", [[1, 3], [3, 2]], [1, 2])


def test_it_is_a_backend_of_onnx(emu_zygotes):
    assert issubclass(backend.EmuBackend, Backend)
    prepared = backend.prepare(RELU, zygotes=emu_zygotes)
    assert isinstance(prepared, BackendRep)
    outputs = prepared.run([X])
    np.testing.assert_array_equal(outputs[0], np.maximum(X, 0))
    np.testing.assert_array_equal(outputs["y"], outputs[0])


@pytest.mark.parametrize("inputs", [X, [X], (X,), {"a": X}])
def test_inputs_come_in_any_form(emu_zygotes, inputs):
    np.testing.assert_array_equal(backend.run_model(RELU, inputs, zygotes=emu_zygotes)[0], np.maximum(X, 0))


def test_weights_that_are_inputs_are_those_of_the_run(emu_zygotes, monkeypatch):
    compiled = []
    plain = PreparedModel.compile
    prepared = backend.prepare(PRODUCT, zygotes=emu_zygotes, cores=2)
    monkeypatch.setattr("launch.conformance.prepared.compile_network", count(compiled))
    for weights in (WEIGHTS, WEIGHTS.copy(), WEIGHTS + 1, WEIGHTS):
        np.testing.assert_allclose(prepared.run([X, weights])[0], X @ weights, rtol=1e-5)
    assert len(compiled) == 3 and plain is PreparedModel.compile


def count(calls):
    import compiler

    def counted(*arguments, **options):
        calls.append(arguments)
        return compiler.compile(*arguments, **options)

    return counted


def test_a_node_alone(emu_zygotes):
    node = helper.make_node("Gemm", ["a", "b", "c"], ["y"], alpha=2.0)
    c = np.ones(2, np.float32)
    (found,) = backend.run_node(node, [X, WEIGHTS, c], zygotes=emu_zygotes)
    np.testing.assert_allclose(found, 2 * X @ WEIGHTS + c, rtol=1e-5)
    (found,) = backend.run_node(
        helper.make_node("Relu", ["x"], ["y"]),
        [X],
        outputs_info=[(np.float32, (1, 3))],
        opset_version=13,
        zygotes=emu_zygotes,
    )
    np.testing.assert_array_equal(found, np.maximum(X, 0))


def test_devices_and_models_that_fit():
    assert backend.supports_device("CPU") and backend.supports_device("CPU:0")
    assert not backend.supports_device("CUDA") and not backend.supports_device("TPU:1")
    assert backend.is_compatible(RELU) and not backend.is_compatible(RELU, "CUDA")
    assert not backend.is_compatible(one_node("Det", [[2, 2]], []))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: backend.prepare("relu.onnx"), "a model is an onnx.ModelProto, not str"),
        (lambda: backend.prepare(RELU, "CUDA"), "device 'CUDA' is unknown"),
        (lambda: backend.prepare(RELU, colour="red"), "'colour' is no option of this backend: use arch, cores"),
        (lambda: backend.prepare(RELU, cores=-1), "cores -1"),
        (lambda: backend.run_model(RELU, [X, X]), "2 inputs are given, but the model has 1: 'a'"),
        (lambda: backend.run_model(RELU, {}), "input 'a' is missing"),
        (lambda: backend.prepare(RELU).run([X], fast=True), "'fast' is no option of a run"),
        (
            lambda: backend.run_node(helper.make_node("Relu", ["x"], ["y"]), []),
            "0 inputs are given, but node Relu has 1",
        ),
        (lambda: backend.run_node(helper.make_node("Glow", ["x"], ["y"]), [X]), "node Glow is not valid"),
    ],
)
def test_mistakes_are_one_sentence(call, words):
    with pytest.raises(InputError) as caught:
        call()
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_what_is_not_supported_is_refused_before_a_run():
    with pytest.raises(CompileError, match="unsupported operators: Det"):
        backend.prepare(one_node("Det", [[2, 2]], []))


def test_inputs_of_another_shape_are_refused(emu_zygotes):
    with pytest.raises(EmuError, match=r"is float32\[1, 4\], expected float32\[1, 3\]"):
        backend.run_model(RELU, [np.zeros((1, 4), np.float32)], zygotes=emu_zygotes)


def test_an_image_goes_with_its_network(emu_zygotes):
    def folders():
        return set(Path(scratch_place()).glob("emu-backend-*"))

    before = folders()
    prepared = backend.prepare(RELU, zygotes=emu_zygotes)
    assert len(folders() - before) == 1
    del prepared
    gc.collect()
    assert folders() <= before


def test_its_own_warm_process_starts_again_after_close():
    for _ in range(2):
        np.testing.assert_array_equal(backend.run_model(RELU, [X])[0], np.maximum(X, 0))
        backend.close()
    backend.close()


def test_a_whole_network(emu_zygotes):
    model = build("lenet5")
    import onnxruntime

    image = np.random.default_rng(0).random((1, 1, 28, 28), np.float32)
    (found,) = backend.run_model(model, [image], zygotes=emu_zygotes, cores=16)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(found, session.run(None, {"input": image})[0], rtol=1e-3, atol=1e-5)


def test_the_runner_of_the_suite_takes_it(emu_zygotes, monkeypatch):
    """A case through `onnx.backend.test` itself: passes, skips and failures are those of its runner."""
    from onnx.backend.test.case.test_case import TestCase
    from onnx.backend.test.runner import Runner

    monkeypatch.setattr("onnx.backend.test.runner.load_model_tests", lambda kind: [])
    runner = Runner(backend, test_kwargs={"test_relu": {"zygotes": emu_zygotes, "rtol": 1e-3}})
    for name, wanted in (("test_relu", np.maximum(X, 0)),):
        runner._add_model_test(TestCase(name, name, None, None, RELU, [([X], [wanted])], "node", 1e-3, 1e-7), "Node")
    import unittest

    result = unittest.TestResult()
    runner.test_suite.run(result)
    assert (result.testsRun, len(result.skipped)) == (2, 1)  # the other one is for CUDA
    assert result.wasSuccessful(), result.failures + result.errors


def test_onnx_itself_is_left_as_it_was():
    assert onnx.backend.base.Backend is Backend
