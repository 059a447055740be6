"""What a core can do stays on cores, whatever the host does beside it; what a pass refuses goes to the host."""

import host_nets
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from compiler import compile
from emu.errors import CompileError, InputError
from launch.chips.segmented import power_on_segments

ML = "ai.onnx.ml"
FEATURES = 4


def trees(source, result):
    """A tree of one split, whose operator ONNX infers no shape of."""
    return helper.make_node(
        "TreeEnsembleRegressor",
        [source],
        [result],
        "trees",
        domain=ML,
        n_targets=FEATURES,
        nodes_treeids=[0, 0, 0],
        nodes_nodeids=[0, 1, 2],
        nodes_featureids=[1, 0, 0],
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
        nodes_values=[0.0, 0.0, 0.0],
        nodes_truenodeids=[1, 0, 0],
        nodes_falsenodeids=[2, 0, 0],
        target_treeids=[0] * 8,
        target_nodeids=[1] * 4 + [2] * 4,
        target_ids=[0, 1, 2, 3] * 2,
        target_weights=list(map(float, range(8))),
    )


def learned(nodes, batch, outputs=("y",), weights=()):
    """A network of ONNX-ML over samples of four features."""
    dims = [batch, FEATURES]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [batch, None]) for name in outputs],
        [numpy_helper.from_array(np.eye(FEATURES, 3, dtype=np.float32), name) for name in weights],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(ML, 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def segments(model, folder, **named):
    result = compile(model, "tiny", cores=8, out=folder, host_fallback=True, **named)
    return [(segment.on_host, segment.nodes) for segment in result.segments]


@pytest.mark.parametrize(("batch", "shapes", "samples"), [(1, None, 1), (None, None, 1), ("N", {"x": (3, 4)}, 3)])
def test_a_product_behind_an_operator_of_unknown_shape(batch, shapes, samples, tmp_path):
    product = helper.make_node("MatMul", ["t", "w"], ["y"], "product")
    model = learned([trees("x", "t"), product], batch, weights=["w"])
    parts = segments(model, tmp_path / "out", shapes=shapes)
    assert parts == [(True, ("trees (TreeEnsembleRegressor)",)), (False, ("product (MatMul)",))]
    x = np.linspace(-1, 1, samples * FEATURES, dtype=np.float32).reshape(samples, FEATURES)
    with power_on_segments(tmp_path / "out", sequential=True) as chip:
        found = chip.run({"x": x})["y"]
    np.testing.assert_array_equal(found, [[0, 1, 2] if row[1] <= 0 else [4, 5, 6] for row in x])


@pytest.mark.parametrize("batch", [1, None])
def test_an_output_behind_an_operator_of_unknown_shape(batch, tmp_path):
    model = learned([helper.make_node("Relu", ["x"], ["r"], "relu"), trees("r", "y")], batch)
    assert [on_host for on_host, _ in segments(model, tmp_path / "out")] == [False, True]


def test_an_output_of_texts_is_refused_with_what_to_do(tmp_path):
    labels = {"keys_floats": [0.0], "values_strings": ["none"], "default_string": "some"}
    node = helper.make_node("LabelEncoder", ["x"], ["y"], "names", domain=ML, **labels)
    model = learned([node], 1)
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.STRING
    with pytest.raises(CompileError, match=r"'y' holds texts, .*: export the model with integer labels"):
        segments(model, tmp_path / "out")


def test_a_layer_that_no_core_can_hold_goes_to_the_host(tmp_path):
    """Nothing is refused while it is read: a later pass says that the weights are too many for a core."""
    hidden, rng = 96, np.random.default_rng(0)
    shapes = {"w": (1, 4 * hidden, 4), "r": (1, 4 * hidden, hidden)}
    arrays = [numpy_helper.from_array(rng.standard_normal(s).astype(np.float32), name) for name, s in shapes.items()]
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], "relu"),
        helper.make_node("LSTM", ["a", "w", "r"], ["y"], "node conv of net.onnx", hidden_size=hidden),
    ]
    model = host_nets.model(nodes, {"x": [3, 1, 4]}, {"y": [3, 1, 1, hidden]}, *arrays)
    with pytest.raises(CompileError, match="recurrent weights") as refused:
        compile(model, "tiny", cores=8, out=tmp_path / "out")
    assert refused.value.node == "node conv of net.onnx"
    parts = segments(model, tmp_path / "out")
    assert parts == [(False, ("relu (Relu)",)), (True, ("node conv of net.onnx (LSTM)",))]


def test_a_refusal_about_no_node_stays_one(tmp_path):
    model = learned([helper.make_node("MatMul", ["x", "w"], ["y"], "product")], 1, weights=["w"])
    big = np.ones((FEATURES, 4000), np.float32)
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(big, "w"))
    with pytest.raises(CompileError, match="the network needs"):
        compile(model, "tiny", cores=1, out=tmp_path / "out", host_fallback=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (
            helper.make_node("ConstantOfShape", ["s"], ["y"], "zeros"),
            r"'zeros' \(ConstantOfShape\) makes a tensor",
        ),
        (helper.make_node("Range", ["a", "b", "c"], ["y"], "count"), r"'count' \(Range\) makes a tensor"),
    ],
)
def test_a_shape_that_is_computed_is_said_to_be_one(node, said, tmp_path):
    graph = helper.make_graph(
        [node],
        "net",
        [helper.make_tensor_value_info(name, TensorProto.INT64, [2] if name == "s" else []) for name in node.input],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT if node.name == "zeros" else TensorProto.INT64, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with pytest.raises(CompileError, match=said):
        compile(model, "tiny", cores=4, out=tmp_path / "out")


POINTER = "; if the model is right, host_fallback=True leaves it to the host"


def turned(operator, **attributes):
    """A product of what a node makes of the input."""
    nodes = [
        helper.make_node(operator, ["x"], ["a"], "odd", **attributes),
        helper.make_node("Cast", ["a"], ["b"], "cast", to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["b"], ["y"], "sum", keepdims=1),
    ]
    return host_nets.model(nodes, {"x": [3, 4]}, {"y": [1, 1]})


@pytest.mark.parametrize(
    "model", [turned("NonZero"), turned("Cast", to=TensorProto.DOUBLE)], ids=["unknown shape", "type that cores lack"]
)
def test_the_refusal_of_a_node_points_to_the_host_which_takes_it(model, tmp_path):
    with pytest.raises(CompileError) as refused:
        compile(model, out=tmp_path / "cores")
    assert refused.value.node == "odd" and str(refused.value).endswith(POINTER)
    result = compile(model, out=tmp_path / "out", host_fallback=True)
    assert any("odd" in node for segment in result.segments if segment.on_host for node in segment.nodes)


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (turned("RandomNormalLike"), {}),  # the host does not do these, either
        (turned("NonZero"), {"states": {"x": "y"}}),  # nor anything of one chip
        (turned("NonZero"), {"host_fallback": True, "max_length": 3}),
    ],
)
def test_a_refusal_that_the_host_cannot_help_does_not_point_to_it(model, options, tmp_path):
    with pytest.raises(InputError) as refused:
        compile(model, out=tmp_path / "out", **options)
    assert POINTER not in str(refused.value)
