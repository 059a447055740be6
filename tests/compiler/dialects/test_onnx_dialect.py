"""The onnx dialect: text in both forms reads back as it was; wrong types are refused."""

from io import StringIO

import pytest
from onnx import helper
from onnx_models import make_model, random_array
from onnx_passes import legalise_onnx
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, f16, f32, f64
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import onnx
from compiler.frontend.importer import import_model
from compiler.session.context import CompilerContext, make_context
from launch import zoo


def text_of(module: ModuleOp, generic: bool) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


def read_back(context: CompilerContext, module: ModuleOp, generic: bool) -> ModuleOp:
    parsed = Parser(context, text_of(module, generic)).parse_module()
    parsed.verify()
    return parsed


def every_operator() -> ModuleOp:
    """A module that uses what the zoo does not."""
    nodes = [
        helper.make_node("Clip", ["x", "", "six"], ["a"]),
        helper.make_node("LeakyRelu", ["a"], ["b"], alpha=0.1),
        helper.make_node("Sigmoid", ["b"], ["c"]),
        helper.make_node("Sub", ["c", "w"], ["d"]),
        helper.make_node("Div", ["d", "w"], ["e"]),
        helper.make_node("Transpose", ["e"], ["f"], perm=[0, 2, 3, 1]),
        helper.make_node("Unsqueeze", ["f", "axes"], ["g"]),
        helper.make_node("Squeeze", ["g", "axes"], ["h"]),
        helper.make_node("ReduceMean", ["h"], ["i"], axes=[1], keepdims=0),
        helper.make_node("MatMul", ["i", "m"], ["j"]),
        helper.make_node("Identity", ["j"], ["k"]),
        helper.make_node("Mul", ["k", "k"], ["y"]),
    ]
    weights = {"six": random_array(), "w": random_array(3, 1, 1), "m": random_array(3, 2)}
    weights["axes"] = random_array(1).astype("int64") * 0
    model = make_model(nodes, {"x": (1, 3, 4, 4)}, weights=weights)
    return import_model(model, make_context()).module


@pytest.mark.parametrize(("name", "generic"), [("lenet5", True), ("lenet5", False), ("squeezenet", True)])
def test_networks_round_trip_through_text(name, generic):
    context = make_context()
    module = import_model(zoo.build(name), context).module
    assert read_back(context, module, generic).is_structurally_equivalent(module)
    legalise_onnx(context, module)
    assert read_back(context, module, generic).is_structurally_equivalent(module)


@pytest.mark.parametrize("generic", [True, False])
def test_every_operator_round_trips(generic):
    module = every_operator()
    assert read_back(make_context(), module, generic).is_structurally_equivalent(module)


def test_generic_text_holds_keys_and_no_numbers():
    text = text_of(import_model(zoo.build("lenet5"), make_context()).module, True)
    assert 'arg_attrs = [{onnx.name = "input"}], res_attrs = [{onnx.name = "output"}]' in text
    assert '"onnx.Constant"() <{node = "conv1.weight", tensor = "conv1.weight", key = "conv1.weight"}>' in text
    assert "dense<" not in text and len(text) < 10_000


@pytest.mark.parametrize(
    ("operand", "result", "message"),
    [
        (TensorType(f16, (1, 2)), TensorType(f16, (1, 2)), "computes in float32 only, not in tensor<1x2xf16>"),
        (TensorType(f32, (1, DYNAMIC_INDEX)), TensorType(f32, (1, DYNAMIC_INDEX)), "no static tensor"),
        (TensorType(f32, (1, 2)), TensorType(f32, (1, 3)), "changes its type"),
    ],
)
def test_wrong_types_do_not_verify(operand, result, message):
    value = test_dialect.TestOp(result_types=[operand]).results[0]
    with pytest.raises(VerifyException, match=message):
        onnx.FUNCTION_OPS["relu"].make([value], result, node="r", tensor="t").verify()


@pytest.mark.parametrize(
    ("operand", "result", "message"),
    [(f64, f64, "elements of type f64 do not exist"), (f16, f32, "has values of several element types")],
)
def test_what_moves_elements_takes_one_type_of_the_machine(operand, result, message):
    value = test_dialect.TestOp(result_types=[TensorType(operand, (2,))]).results[0]
    with pytest.raises(VerifyException, match=message):
        onnx.ReshapeOp.make([value], TensorType(result, (1, 2)), node="r", tensor="t").verify()
