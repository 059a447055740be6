"""The table of frozen inputs is that of ONNX's operators; nothing else is frozen."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from suite_cases import one_node, target_cases
from suite_outcomes import IDLE

from launch.conformance.frozen import FROZEN, SHAPES, WEIGHTS, constant_outputs, freeze, frozen_inputs, graph_inputs
from launch.conformance.selecting import OPERATORS

INTEGERS = {"tensor(int64)", "tensor(int32)", "tensor(bool)"}
# Shape-like inputs that may be no integers: a depth, places to take from, as shares, and bounds of ranges.
IN_FLOATS = {("OneHot", 1), ("Resize", 1), ("Resize", 2), ("Upsample", 1), ("Range", 0), ("Range", 1), ("Range", 2)}


@pytest.mark.parametrize("operator", sorted(FROZEN))
def test_every_place_is_an_input_of_the_operator(operator):
    versions = {
        onnx.defs.get_schema(operator, version).since_version for version in range(6, 29) if known(operator, version)
    }
    most = max(len(onnx.defs.get_schema(operator, version).inputs) for version in versions)
    assert FROZEN[operator] and max(FROZEN[operator]) < most
    assert len(set(FROZEN[operator])) == len(FROZEN[operator])


def known(operator, version):
    return onnx.defs.has(operator, version)


@pytest.mark.parametrize("operator", sorted(SHAPES))
def test_what_is_frozen_as_a_shape_is_of_integers(operator):
    schema = newest(operator)
    types = {constraint.type_param_str: constraint.allowed_type_strs for constraint in schema.type_constraints}
    for place in SHAPES[operator]:
        if place < len(schema.inputs) and (operator, place) not in IN_FLOATS:
            kind = schema.inputs[place].type_str
            assert set(types.get(kind, [kind])) <= INTEGERS, (operator, place)


def newest(operator):
    return onnx.defs.get_schema(operator, onnx.defs.onnx_opset_version())


def test_the_two_tables_are_apart():
    assert not WEIGHTS.keys() & SHAPES.keys() and WEIGHTS.keys() <= OPERATORS


def test_the_first_operand_of_a_product_is_never_frozen():
    assert not [operator for operator, places in WEIGHTS.items() if 0 in places]


def test_what_a_node_takes_in_a_listed_place_is_frozen():
    assert frozen_inputs(one_node("MatMul", [[2, 3], [3, 4]], [2, 4]).graph) == ("b",)
    assert frozen_inputs(one_node("Add", [[2, 3], [2, 3]], [2, 3]).graph) == ()


def test_an_operator_of_another_domain_is_another_one():
    model = one_node("MatMul", [[2, 3], [3, 4]], [2, 4])
    model.graph.node[0].domain = "com.example"
    assert frozen_inputs(model.graph) == ()


def test_initialisers_are_no_inputs():
    model = one_node("MatMul", [[2, 3], [3, 4]], [2, 4])
    model.graph.initializer.append(numpy_helper.from_array(np.ones((3, 4), np.float32), "b"))
    assert graph_inputs(model.graph) == ("a",) and frozen_inputs(model.graph) == ()


def test_a_frozen_model_has_the_values_and_the_given_one_stays_as_it_was():
    model, weights = one_node("MatMul", [[2, 3], [3, 4]], [2, 4]), np.ones((3, 4), np.float32)
    before = model.SerializeToString(deterministic=True)
    frozen = freeze(model, {"b": weights})
    assert graph_inputs(frozen.graph) == ("a",)
    np.testing.assert_array_equal(numpy_helper.to_array(frozen.graph.initializer[0]), weights)
    assert model.SerializeToString(deterministic=True) == before
    onnx.checker.check_model(frozen)


def test_what_depends_on_no_value_of_a_run_is_found():
    shape = one_node("Shape", [[2, 3]], [2])
    assert constant_outputs(shape.graph) == ("y",)
    product = one_node("MatMul", [[2, 3], [3, 4]], [2, 4])
    assert constant_outputs(product.graph, ["b"]) == () and constant_outputs(product.graph, ["a", "b"]) == ("y",)


def test_each_output_counts():
    """One of the two outputs depends on the shape of the input alone."""
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    outputs = [helper.make_empty_tensor_value_info(name) for name in ("y", "z")]
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Shape", ["y"], ["s"])]
    nodes.append(helper.make_node("Identity", ["s"], ["z"]))
    assert constant_outputs(helper.make_graph(nodes, "two", [value], outputs)) == ("z",)


def test_values_reach_nodes_through_graphs_in_attributes():
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    flag = helper.make_tensor_value_info("flag", TensorProto.BOOL, [])
    output = [helper.make_empty_tensor_value_info("y")]
    branch = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["z"])], "b", [], [helper.make_empty_tensor_value_info("z")]
    )
    node = helper.make_node("If", ["flag"], ["y"], then_branch=branch, else_branch=branch)
    assert constant_outputs(helper.make_graph([node], "if", [flag, value], output), ["flag"]) == ()


def test_cases_of_the_target_set_that_no_value_decides_are_few():
    constant = {
        case.operator for case in target_cases() if constant_outputs(case.model.graph, frozen_inputs(case.model.graph))
    }
    assert constant == IDLE
