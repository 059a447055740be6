"""Importing whole models: weights, names, inputs, dead parts, constants."""

import hashlib
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx_export import evaluate_module, run_onnx
from onnx_models import make_model, one_node, random_array

from compiler.dialects.onnx import ConstantOp
from compiler.dialects.onnx_op import OnnxOp
from compiler.frontend.importer import import_model
from compiler.session.context import make_context
from emu.isa.dtypes import DType

DIGITS = Path(__file__).parents[3] / "examples" / "digits_cnn.onnx"


def operations(module) -> list[OnnxOp]:
    return [op for op in module.walk() if isinstance(op, OnnxOp)]


def test_digits_cnn():
    context = make_context()
    imported = import_model(DIGITS, context)
    assert imported.sha256 == hashlib.sha256(DIGITS.read_bytes()).hexdigest()
    assert [(info.name, info.shape, info.dtype) for info in imported.inputs] == [("in0", (1, 1, 8, 8), DType.f32)]
    assert [(info.name, info.shape, info.dtype) for info in imported.outputs] == [("out0", (1, 10), DType.f32)]
    x = random_array(1, 1, 8, 8)
    expected = run_onnx(onnx.load(DIGITS), {"in0": x})[0]
    np.testing.assert_allclose(evaluate_module(imported.module, context, {"in0": x})[0], expected, atol=1e-5)


def test_large_weights_are_views_into_the_file():
    context = make_context()
    import_model(DIGITS, context)
    large = [context.weights.get(key) for key in context.weights if context.weights.get(key).nbytes >= 4096]
    assert large and not any(array.flags.owndata or array.flags.writeable for array in large)


def test_model_object_and_file_agree(tmp_path):
    model = one_node("MatMul", (1, 64), random_array(64, 32))
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    first, second = (import_model(source, make_context()) for source in (path, model))
    assert first.sha256 == second.sha256
    assert str(first.module) == str(second.module)


def test_nodes_get_unique_names():
    names = ["", "same", "same", ""]
    nodes = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"], name) for i, name in enumerate(names)]
    module = import_model(make_model(nodes, {"v0": (1, 3)}, ["v4"]), make_context()).module
    assert [op.node.data for op in operations(module)] == ["Relu_0", "same", "same.1", "Relu_3"]
    assert [op.tensor.data for op in operations(module)] == ["v1", "v2", "v3", "v4"]


def test_initialisers_listed_as_inputs_are_weights():
    model = one_node("MatMul", (1, 64), random_array(64, 32))
    model.graph.input.append(helper.make_tensor_value_info("w0", TensorProto.FLOAT, [64, 32]))
    model.graph.input.append(helper.make_tensor_value_info("unused", TensorProto.FLOAT, [1]))
    model.graph.initializer.append(onnx.numpy_helper.from_array(random_array(1), "unused"))
    imported = import_model(model, make_context())
    assert [info.name for info in imported.inputs] == ["x"]


def test_what_no_output_needs_is_left_out():
    nodes = [
        helper.make_node("Relu", ["x"], ["y"]),
        helper.make_node("Add", ["x", "w"], ["dead"]),
        helper.make_node("NoSuchOperatorHere", ["dead"], ["deader"], domain="com.example"),
    ]
    model = make_model(nodes, {"x": (1, 3)}, weights={"w": random_array(3)})
    model.opset_import.append(helper.make_opsetid("com.example", 1))
    context = make_context()
    assert [op.name for op in operations(import_model(model, context).module)] == ["onnx.Relu"]
    assert len(context.weights) == 0


def test_a_shared_weight_is_one_constant():
    nodes = [helper.make_node("Add", ["x", "w"], ["a"]), helper.make_node("Mul", ["a", "w"], ["y"])]
    module = import_model(make_model(nodes, {"x": (1, 3)}, weights={"w": random_array(3)}), make_context()).module
    assert sum(isinstance(op, ConstantOp) for op in operations(module)) == 1


def test_several_inputs_and_outputs_keep_their_order():
    nodes = [helper.make_node("Sub", ["b", "a"], ["d"]), helper.make_node("Relu", ["a"], ["c"])]
    model = make_model(nodes, {"b": (1, 3), "a": (1, 3)}, ["d", "c", "a"])
    context = make_context()
    imported = import_model(model, context)
    assert [info.name for info in (*imported.inputs, *imported.outputs)] == ["b", "a", "d", "c", "a"]
    feed = {"a": random_array(1, 3), "b": random_array(1, 3, seed=1)}
    for got, wanted in zip(
        evaluate_module(imported.module, context, feed),
        [feed["b"] - feed["a"], np.maximum(feed["a"], 0), feed["a"]],
        strict=True,
    ):
        np.testing.assert_array_equal(got, wanted)


def test_local_functions_are_inlined():
    body = [helper.make_node("Relu", ["p"], ["q"]), helper.make_node("Tanh", ["q"], ["r"])]
    opsets = [helper.make_opsetid("", 17)]
    function = helper.make_function("local", "ReluTanh", ["p"], ["r"], body, opsets)
    model = make_model([helper.make_node("ReluTanh", ["x"], ["y"], domain="local")], {"x": (1, 3)})
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("local", 1))
    kinds = [op.name for op in operations(import_model(model, make_context()).module)]
    assert kinds == ["onnx.Relu", "onnx.Tanh"]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_warn(value):
    weights = random_array(64, 32)
    weights[3, 4] = value
    context = make_context()
    import_model(one_node("MatMul", (1, 64), weights), context)
    assert len(context.warnings) == 1 and "'w0'" in context.warnings[0] and "NaN" in context.warnings[0]
    context = make_context()
    import_model(one_node("MatMul", (1, 64), random_array(64, 32)), context)
    assert context.warnings == []


def test_shapes_given_for_dynamic_inputs():
    model = one_node("MatMul", ("batch", 64), random_array(64, 32))
    imported = import_model(model, make_context(), {"x": (1, 64)})
    assert (imported.inputs[0].shape, imported.outputs[0].shape) == ((1, 64), (1, 32))
