"""Operators without an import function are done by the nodes by which ONNX defines them."""

from types import MappingProxyType

import numpy as np
import onnx
import pytest
from onnx import TensorProto, TypeProto, helper, numpy_helper
from onnx_export import evaluate_module, run_onnx
from onnx_models import make_model, one_node, random_array

from compiler.frontend import graph_reader
from compiler.frontend.definitions import definition, has_definition
from compiler.frontend.importer import import_model
from compiler.frontend.operators import OPERATORS
from compiler.session.context import make_context
from emu.errors import CompileError

NODE = helper.make_node
X, SCALE, BIAS = random_array(2, 6, 4), random_array(4, seed=1), random_array(4, seed=2)
BOUND = np.array(0.3, np.float32)
# Name -> node, operator set, operands (None: left out)
DEFINED = {
    "clip": (NODE("Clip", ["x", "a", "b"], ["y"]), 13, [X, -BOUND, BOUND]),
    "clip without a lower bound": (NODE("Clip", ["x", "", "b"], ["y"]), 13, [X, None, BOUND]),
    "elu by the default of its schema": (NODE("Elu", ["x"], ["y"]), 20, [X]),
    "elu by its own attribute": (NODE("Elu", ["x"], ["y"], alpha=0.25), 20, [X]),
    "gelu": (NODE("Gelu", ["x"], ["y"], approximate="tanh"), 20, [X]),
    "hard swish": (NODE("HardSwish", ["x"], ["y"]), 14, [X]),
    "layer": (NODE("LayerNormalization", ["x", "s", "b"], ["y"], epsilon=0.1), 17, [X, SCALE, BIAS]),
    "layer without a bias": (NODE("LayerNormalization", ["x", "s"], ["y"]), 20, [X, SCALE]),
    "layer of an inner output": (NODE("LayerNormalization", ["x", "s"], ["z", "y"]), 20, [X, SCALE]),
    "rms": (NODE("RMSNormalization", ["x", "s"], ["y"]), 23, [X, SCALE]),
    "log softmax": (NODE("LogSoftmax", ["x"], ["y"], axis=1), 13, [X]),
    "mish": (NODE("Mish", ["x"], ["y"]), 18, [X]),
    "slopes": (NODE("PRelu", ["x", "s"], ["y"]), 16, [X, SCALE]),
    "norm": (NODE("ReduceL2", ["x", "s"], ["y"], keepdims=0), 18, [X, np.array([1])]),
    "swish": (NODE("Swish", ["x"], ["y"], alpha=2.0), 24, [X]),
}


def types(arrays) -> list[TypeProto]:
    kinds = [None if a is None else helper.np_dtype_to_tensor_dtype(a.dtype) for a in arrays]
    pairs = zip(kinds, arrays, strict=True)
    return [TypeProto() if kind is None else helper.make_tensor_type_proto(kind, a.shape) for kind, a in pairs]


def graph_model(nodes, node, arrays, opset) -> onnx.ModelProto:
    """A model of `nodes` with the operands of `node` as initialisers."""
    stored = [numpy_helper.from_array(a, n) for n, a in zip(node.input, arrays, strict=True) if a is not None]
    outputs = [helper.make_empty_tensor_value_info("y")]
    graph = helper.make_graph(list(nodes), "net", [], outputs, stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


@pytest.mark.parametrize("name", DEFINED)
def test_a_definition_computes_what_its_operator_does(name):
    node, opset, arrays = DEFINED[name]
    assert has_definition(node, opset)
    body = definition(node, opset, types(arrays))
    nodes = body.placed(lambda inner: f"own/{inner}")
    assert not any(inner.op_type == node.op_type for inner in nodes)
    got = run_onnx(graph_model(nodes, node, arrays, body.opset), {})
    want = run_onnx(graph_model([node], node, arrays, opset), {})
    np.testing.assert_allclose(got[0], want[0], rtol=1e-5, atol=1e-6)


def test_operators_without_a_definition():
    for node in (NODE("Conv", ["x", "w"], ["y"]), NODE("Conv2D", ["x"], ["y"]), NODE("Elu", ["x"], ["y"], domain="d")):
        assert not has_definition(node, 20)
        assert definition(node, 20, types([X, X])) is None


@pytest.fixture
def without(monkeypatch):
    """Takes import functions away: what is tested does not change when an operator gets one."""

    def take(*kinds: str) -> None:
        left = {kind: function for kind, function in OPERATORS.items() if kind not in kinds}
        monkeypatch.setattr(graph_reader, "OPERATORS", MappingProxyType(left))
        monkeypatch.setattr("compiler.frontend.importer.OPERATORS", MappingProxyType(left))

    return take


def test_definitions_within_definitions(without):
    """SwiGLU is defined by Swish, which is defined by Sigmoid and Mul."""
    without("SwiGLU", "Swish")
    context, a, b = make_context(), random_array(2, 4), random_array(2, 4, seed=1)
    node = NODE("SwiGLU", ["x", "z"], ["y"], "gate", alpha=2.0)
    module = import_model(make_model([node], {"x": (2, 4), "z": (2, 4)}, opset=28), context).module
    text = str(module)
    assert '"gate/SwishGate' in text and "onnx.Sigmoid" in text
    got = evaluate_module(module, context, {"x": a, "z": b})[0]
    np.testing.assert_allclose(got, a / (1 + np.exp(-2 * a)) * b, rtol=1e-5, atol=1e-6)


def test_what_is_refused_of_a_definition_is_told_of_the_node(without):
    without("SwiGLU", "Swish", "Sigmoid")
    node = NODE("SwiGLU", ["x", "x"], ["y"], "gate")
    with pytest.raises(CompileError) as caught:
        import_model(make_model([node], {"x": (2, 4)}, opset=28), make_context())
    assert str(caught.value) == (
        "model 'test': node 'gate' (SwiGLU) is done as ONNX defines it, by other nodes: node 'gate/Swish' (Swish) is "
        "done as ONNX defines it, by other nodes: node 'gate/Swish/Sigmoid' (Sigmoid) is of an operator that is not "
        "supported"
    )


def test_own_names_of_a_definition_do_not_meet_those_of_the_file(without):
    without("SwiGLU", "Swish")
    nodes = [
        NODE("Relu", ["x"], ["gate/SwishGate"], "gate/Swish"),
        NODE("SwiGLU", ["x", "gate/SwishGate"], ["u"], "gate"),
        NODE("SwiGLU", ["u", "gate/SwishGate"], ["y"], "gate"),
    ]
    context, x = make_context(), random_array(2, 4)
    model = make_model(nodes, {"x": (2, 4)}, opset=28)
    module = import_model(model, context).module
    swish = x / (1 + np.exp(-x)) * np.maximum(x, 0)
    expected = swish / (1 + np.exp(-swish)) * np.maximum(x, 0)
    np.testing.assert_allclose(evaluate_module(module, context, {"x": x})[0], expected, rtol=1e-5, atol=1e-6)


def test_constants_are_folded_whatever_they_are_cast_like(without):
    """CastLike of a constant to the type of a computed value, as definitions have it."""
    without("CastLike")
    nodes = [NODE("CastLike", ["c", "x"], ["f"]), NODE("Reshape", ["f", "s"], ["g"]), NODE("Mul", ["x", "g"], ["y"])]
    model = make_model(nodes, {"x": (1, 2)}, weights={"c": np.array([2, 3]), "s": np.array([1, 2])}, opset=21)
    context, x = make_context(), random_array(1, 2)
    module = import_model(model, context).module
    assert "onnx.Reshape" not in str(module)
    np.testing.assert_array_equal(evaluate_module(module, context, {"x": x})[0], x * np.array([[2, 3]], np.float32))


def test_a_budget_of_nodes(without, monkeypatch):
    without("Swish")
    monkeypatch.setattr(graph_reader, "MAX_NODES", 3)
    with pytest.raises(CompileError, match=r"node 'the_node' makes more than 3 nodes"):
        import_model(one_node("Swish", (1, 4), opset=24), make_context())


def test_types_that_a_definition_cannot_take():
    node = NODE("CastLike", ["x", "y"], ["z"])
    assert definition(node, 21, [helper.make_tensor_type_proto(TensorProto.FLOAT, (1,)), TypeProto()]) is None
