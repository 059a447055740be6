"""What flows say of networks beside products: poolings, joins, moves; and what is refused, by its node."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from integer_nets import golden
from onnx import TensorProto, helper, numpy_helper

from compiler.compiling import lower
from compiler.mop.emit import PIPELINE, flow_of
from compiler.request import make_request
from compiler.session.context import make_context
from emu.errors import CompileError
from emu.interop.mop.checker import check_flow
from emu.interop.mop.chip import MopChip
from emu.interop.mop.lowering import lower_flow
from emu.interop.mop.parser import parse_flow
from emu.interop.mop.printer import print_flow
from emu.interop.mop.running import FlowCore

CHIP = MopChip("c", "xbm", 8, 8, 16, 64, 8, 16, "columns", 1 << 20)
RNG = np.random.default_rng(3)
ARRAYS = {
    "w": RNG.standard_normal((4, 3, 3, 3)).astype(np.float32),
    "b": RNG.standard_normal(4).astype(np.float32),
    "m": RNG.standard_normal((8, 5)).astype(np.float32),
    "row": RNG.standard_normal((1, 1, 1, 6)).astype(np.float32),
    "i": np.ones((2, 3, 1, 1), np.int8),
    "scale": np.array([0.02, 0.5], np.float32),
    "one": np.array(1, np.float32),
    "zero": np.array(0, np.int8),
    "far": np.array(-3, np.int8),
}


def model(nodes, shape=(1, 3, 6, 6), dtype=TensorProto.FLOAT) -> onnx.ModelProto:
    used = {name for node in nodes for name in node.input}
    arrays = [numpy_helper.from_array(array, name) for name, array in ARRAYS.items() if name in used]
    inputs = [helper.make_tensor_value_info("x", dtype, shape)]
    outputs = [onnx.ValueInfoProto(name=nodes[-1].output[0])]
    graph = helper.make_graph(nodes, "g", inputs, outputs, arrays)
    return onnx.shape_inference.infer_shapes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    )


def node(kind, inputs, output="y", **attributes):
    return helper.make_node(kind, inputs.split(), [output], name=kind.lower(), **attributes)


def emitted(network, chip):
    context = make_context()
    request = make_request(network, context.arch, pipeline=",".join(PIPELINE))
    found = flow_of(lower(request, context)[0], context, chip)
    return "".join(print_flow(found.flow)), dict(found.arrays)


CONV = node("Conv", "x w b", "c", pads=[1, 1, 1, 1])
NETWORKS = {
    "pools": [node("AveragePool", "x", kernel_shape=[3, 2], strides=[2, 1], pads=[1, 1, 1, 0], count_include_pad=1)],
    "mean": [CONV, node("GlobalAveragePool", "c")],
    "joins": [CONV, node("Concat", "c x c", axis=1)],
    "rows": [CONV, node("Concat", "c c", axis=2)],
    "residual": [CONV, node("Relu", "c", "r"), node("Mul", "r c", "s"), node("Add", "s row", "y")],
    "clip": [CONV, node("Relu", "c", "r"), node("Concat", "x r", "y", axis=1)],
    "pads": [node("Conv", "x w", "y", pads=[4, 0, 5, 3], strides=[3, 1])],
    "apart": [
        node("AveragePool", "x", "p", kernel_shape=[4, 4]),
        node("Conv", "p w", "y", pads=[0, 0, 2, 2], dilations=[2, 2]),  # as many taps as pixels, with others between
    ],
    "channels": [CONV, node("Transpose", "c", "t", perm=[0, 2, 1, 3]), node("Reshape", "t shape", "y")],
}


@pytest.mark.parametrize("mode", ["cm", "xbm", "wlm"])
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_of_floats_equal_golden(monkeypatch, name, mode):
    monkeypatch.setitem(ARRAYS, "shape", np.array([2, 72], np.int64))
    network = model(NETWORKS[name])
    chip = MopChip("c", mode, 40, 8, 16, 64, 0, 5, "columns", 1 << 20)
    text, arrays = emitted(network, chip)
    report = check_flow(parse_flow(text, "f"), chip)
    assert report.passed, report.faults
    inputs = {"x": np.random.default_rng(1).standard_normal((1, 3, 6, 6)).astype(np.float32)}
    made = FlowCore(lower_flow(parse_flow(text, "f"), chip, arrays, "f")).run(inputs)
    for key, array in golden(network, inputs).items():
        np.testing.assert_allclose(made[key], array, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mode", ["cm", "xbm", "wlm"])
def test_quantised_convolutions_are_requantised(mode):
    nodes = [helper.make_node("QLinearConv", ["x", "one", "far", "i", "scale", "zero", "one", "far"], ["y"], name="q")]
    network = model(nodes, (1, 3, 5, 5), TensorProto.INT8)
    chip = MopChip("c", mode, 8, 8, 16, 64, 8, 16, "columns", 1 << 20)
    text, arrays = emitted(network, chip)
    assert "requantize(" in text
    inputs = {"x": np.random.default_rng(1).integers(-128, 128, (1, 3, 5, 5)).astype(np.int8)}
    made = FlowCore(lower_flow(parse_flow(text, "f"), chip, arrays, "f")).run(inputs)
    np.testing.assert_array_equal(made["y"], golden(network, inputs)["y"])


@pytest.mark.parametrize(
    ("nodes", "sentence"),
    [
        ([node("Softmax", "x")], "node 'softmax': meta-operator flows have no operator for softmax"),
        ([CONV, node("Sigmoid", "c")], "meta-operator flows have no operator for the activation sigmoid"),
        ([node("ReduceMax", "x", axes=[1])], "meta-operator flows have no operator for a reduction by max"),
    ],
)
def test_what_flows_cannot_say_is_refused_by_node(nodes, sentence):
    if nodes[-1].op_type == "ReduceMax":
        del nodes[-1].attribute[:]
    with pytest.raises(CompileError) as caught:
        emitted(model(nodes), CHIP)
    assert sentence in str(caught.value)


def test_small_chips_are_refused_or_written_again():
    network = model([CONV, node("Conv", "x w", "d", pads=[1, 1, 1, 1]), node("Add", "c d")])
    two = MopChip("two", "cm", 1, 2, 16, 64, 0, 16, "columns", 1 << 20)
    with pytest.raises(CompileError, match="the network takes 2 cores of 1, and in mode cm no operator writes weights"):
        emitted(network, two)
    text, _ = emitted(network, MopChip("two", "xbm", 1, 2, 16, 64, 0, 16, "columns", 1 << 20))
    assert text.count("cim.write_xb") == 4
    assert check_flow(parse_flow(text, "f"), MopChip("two", "xbm", 1, 2, 16, 64, 0, 16, "columns", 1 << 20)).passed
    with pytest.raises(CompileError, match="node 'conv': its weights take 2 cores, chip one has 1"):
        emitted(network, MopChip("one", "xbm", 1, 1, 16, 64, 0, 16, "columns", 1 << 20))
    with pytest.raises(CompileError, match="a weight takes 32 cells, and a crossbar has 16 columns"):
        emitted(network, MopChip("one", "xbm", 1, 1, 16, 16, 1, 16, "columns", 1 << 20))
