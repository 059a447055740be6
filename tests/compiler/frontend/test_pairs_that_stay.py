"""Which products between DequantizeLinear and QuantizeLinear are rewritten: whole, their sums only, or not at all."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from quantised_models import model_of

from compiler.frontend.integer_pairs import with_integer_products
from compiler.frontend.model import load_model

WHOLE, SUMS, FLOATS = "QGemm", "MatMulInteger", "Gemm"


def model(opset=17, between=(), **attributes):
    """x -> Q -> DQ -> Gemm of dequantised weights and bias -> the node `between` -> Q -> y, with one scale each."""
    arrays = {
        "xs": np.float32(0.05),
        "xz": np.int8(3),
        "w": np.arange(-38, 39, dtype=np.int8).reshape(11, 7),
        "ws": np.float32(0.02),
        "wz": np.int8(0),
        "b": np.arange(7, dtype=np.int32),
        "bs": np.float32(0.05) * np.float32(0.02),
        "ys": np.float32(0.5),
        "yz": np.int8(-1),
        "low": np.float32(-3),
    }
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["xq"]),
        helper.make_node("DequantizeLinear", ["xq", "xs", "xz"], ["xd"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"]),
        helper.make_node("DequantizeLinear", ["b", "bs"], ["bd"]),
        helper.make_node("Gemm", ["xd", "wd", "bd"], ["product"]),
        *([helper.make_node(*between, ["active"], **attributes)] if between else []),
        helper.make_node("QuantizeLinear", ["active" if between else "product", "ys", "yz"], ["y"]),
    ]
    made = model_of(nodes, {"x": (TensorProto.FLOAT, (3, 11))}, {"y": (TensorProto.INT8, (3, 7))}, arrays)
    made.opset_import[0].version = opset
    return made


def product(made):
    """How its product is computed, and the other kinds of nodes that come of it."""
    (nodes,) = (with_integer_products(load_model(made)).proto.graph.node,)
    kinds = {node.op_type for node in nodes}
    (found,) = kinds & {WHOLE, SUMS, FLOATS}
    return found, kinds


def given(made, name, array):
    """With another array of that name; of the run, if it is None."""
    (place,) = (place for place, entry in enumerate(made.graph.initializer) if entry.name == name)
    old = made.graph.initializer[place]
    if array is None:
        made.graph.input.append(helper.make_tensor_value_info(name, old.data_type, old.dims))
        del made.graph.initializer[place]
    else:
        old.CopyFrom(numpy_helper.from_array(np.asarray(array), name))


@pytest.mark.parametrize(
    ("name", "array", "wanted"),
    [
        ("ws", np.float32(0.25), SUMS),  # the bias has other units then
        ("ws", None, FLOATS),
        ("ws", np.float32(np.inf), FLOATS),
        ("ws", np.float32(-0.02), FLOATS),
        ("ws", np.full(7, 0.02, np.float32), SUMS),  # one for each column
        ("ws", np.full(11, 0.02, np.float32), FLOATS),
        ("wz", None, FLOATS),
        ("wz", np.uint8(0), FLOATS),
        ("w", None, FLOATS),
        ("xs", None, FLOATS),
        ("xz", None, FLOATS),
        ("ys", None, SUMS),
        ("ys", np.full(7, 0.5, np.float32), SUMS),
        ("yz", None, SUMS),
        ("b", None, FLOATS),
        ("bs", None, FLOATS),
        ("bs", np.float32(0.25), SUMS),
        ("b", np.zeros((1, 7), np.int32), FLOATS),
    ],
)
def test_by_what_the_arrays_are(name, array, wanted):
    made = model()
    given(made, name, array)
    assert product(made)[0] == wanted


@pytest.mark.parametrize(
    ("result", "inputs", "attributes", "wanted"),
    [
        ("wd", ["w", "ws"], {}, WHOLE),
        ("xd", ["xq", "xs"], {}, FLOATS),
        ("y", ["product", "ys"], {}, SUMS),
        ("bd", ["b", "bs", "wz"], {}, WHOLE),
        ("bd", ["b", "bs", "yz"], {}, SUMS),
        ("wd", ["w", "ws", "wz"], {"block_size": 7}, FLOATS),
        ("bd", ["b", "bs"], {"block_size": 7}, WHOLE),
        ("product", ["xd", "wd"], {}, WHOLE),
        ("product", ["xd", "wd", ""], {}, WHOLE),
        ("product", ["xd", "wd", "bs"], {}, SUMS),
        ("product", ["xd", "wd", "b"], {}, FLOATS),
        ("product", ["xd", "xd", "bd"], {}, FLOATS),
        ("product", ["wd", "wd", "bd"], {}, FLOATS),
        ("product", ["xd", "wd", "bd"], {"alpha": 2.0}, FLOATS),
        ("product", ["xd", "wd", "bd"], {"transA": 1}, WHOLE),
    ],
)
def test_by_how_the_nodes_are_written(result, inputs, attributes, wanted):
    made = model()
    (node,) = (node for node in made.graph.node if node.output[0] == result)
    node.input[:] = inputs
    node.attribute.extend(helper.make_attribute(*each) for each in attributes.items())
    assert product(made)[0] == wanted


@pytest.mark.parametrize(
    ("opset", "node", "attributes", "wanted", "bounded"),
    [
        (17, ("Relu", ["product"]), {}, WHOLE, True),
        (17, ("Clip", ["product"]), {}, WHOLE, False),
        (17, ("Clip", ["product", "low"]), {}, WHOLE, True),
        (17, ("Clip", ["product", "x"]), {}, SUMS, True),  # a bound of the run
        (17, ("Sigmoid", ["product"]), {}, SUMS, False),
        (10, ("Clip", ["product"]), {"min": -1.0, "max": 2.0}, WHOLE, True),
        (10, ("Clip", ["product"]), {"min": -1e9}, WHOLE, False),
    ],
)
def test_by_what_stands_between(opset, node, attributes, wanted, bounded):
    found, kinds = product(model(opset, node, **attributes))
    assert found == wanted and bounded == bool(kinds & {"Clip", "Relu"})


def test_names_that_are_taken_are_left_alone():
    made = model()
    made.graph.node[2].input[:] = ["w", "ws"]
    made.graph.initializer.append(numpy_helper.from_array(np.int8(5), "wd/zero_point"))
    loaded = with_integer_products(load_model(made))
    assert loaded.arrays["wd/zero_point"] == 5 and loaded.arrays["wd/zero_point'"] == 0
