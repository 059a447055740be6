"""Nodes of the first six operator sets mean what they meant then."""

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx_export import evaluate_module
from onnx_models import make_model, random_array
from xdsl.ir import Block

from compiler.frontend.importer import import_model
from compiler.frontend.nodes.scope import Scope
from compiler.frontend.old_forms import modern_nodes
from compiler.session.context import make_context
from emu.errors import CompileError

NODE = helper.make_node
X = random_array(2, 3, 4, 5)
A, C = random_array(3, 4, seed=1), random_array(3, seed=2)


# Name -> node, operator set, constants, what it computes of X; of operators that are imported.
COMPUTED = {
    "in place": (NODE("Relu", ["x"], ["y"], consumed_inputs=[1]), 1, {}, np.maximum(X, 0)),
    "from an axis": (NODE("Add", ["x", "a"], ["y"], broadcast=1, axis=1), 6, {"a": A}, X + A[..., None]),
    "from the last axes": (NODE("Mul", ["x", "a"], ["y"], broadcast=1, axis=-3), 1, {"a": A}, X * A[..., None]),
    "of equal shapes": (NODE("Sub", ["x", "a"], ["y"], broadcast=0), 1, {"a": X[::-1]}, X - X[::-1]),
    "to the last axis": (NODE("Add", ["x", "a"], ["y"], broadcast=1), 6, {"a": X[0, 0, 0]}, X + X[0, 0, 0]),
    "along the channels": (NODE("Concat", ["x", "x"], ["y"]), 1, {}, np.concatenate([X, X], 1)),
    "inference": (NODE("Dropout", ["x"], ["y"], is_test=1, ratio=0.9), 6, {}, X),
    "a shape attribute": (NODE("Reshape", ["x"], ["y"], shape=[0, -1]), 1, {}, X.reshape(2, -1)),
    "bounds": (NODE("Clip", ["x"], ["y"], min=-0.5, max=0.25), 1, {}, np.clip(X, -0.5, 0.25)),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_old_nodes_compute_what_they_did(name):
    node, opset, weights, expected = COMPUTED[name]
    context = make_context()
    module = import_model(make_model([node], {"x": X.shape}, weights=weights, opset=opset), context).module
    np.testing.assert_allclose(evaluate_module(module, context, {"x": X})[0], expected, rtol=1e-6, atol=1e-6)


def modern(node, **constants: np.ndarray):
    """The nodes in today's form, and the scope that holds their constants, with X as x."""
    context = make_context()
    scope = Scope(context, Block(), 1, "net")
    for name, array in {"x": X, **constants}.items():
        scope.define(name, array)
    names = iter(f"own{index}" for index in range(9))
    return modern_nodes(node, scope, lambda name: next(names)), scope


def attributes(node) -> dict:
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (NODE("Cast", ["x"], ["y"], to="FLOAT16"), {"to": TensorProto.FLOAT16}),
        (NODE("Cast", ["x"], ["y"], to=TensorProto.INT32), {"to": TensorProto.INT32}),
        (NODE("Pad", ["x"], ["y"], paddings=[1] * 8, value=2.0), {"pads": [1] * 8, "value": 2.0}),
        (NODE("Upsample", ["x"], ["y"], height_scale=2.0, width_scale=3.0), {"scales": [1, 1, 2, 3]}),
        (NODE("LSTM", ["x", "w", "r"], ["y"], hidden_size=3, output_sequence=1), {"hidden_size": 3}),
        (NODE("LpPool", ["x"], ["y"], kernel_shape=[2, 2], p=3.0), {"kernel_shape": [2, 2], "p": 3}),
        (NODE("GlobalLpPool", ["x"], ["y"]), {"p": 2}),
        (NODE("Gemm", ["x", "a", "c"], ["y"], broadcast=1, alpha=2.0), {"alpha": 2.0}),
        (NODE("Split", ["x"], ["y", "z"], split=[1, 2], axis=1), {"split": [1, 2], "axis": 1}),
    ],
    ids=lambda value: value.op_type if hasattr(value, "op_type") else "",
)
def test_attributes_of_today(node, expected):
    (made,), _ = modern(node, a=A, c=C)
    assert attributes(made) == expected
    assert made.output == node.output


def test_inputs_that_are_attributes_or_became_others():
    (split,), _ = modern(NODE("Split", ["x", "s"], ["y", "z"], axis=1), s=np.array([1.0, 2.0], np.float32))
    assert (attributes(split), list(split.input)) == ({"axis": 1, "split": [1, 2]}, ["x"])
    (tile,), scope = modern(NODE("Tile", ["x", "n", "k"], ["y"]), n=np.array(3.0), k=np.array(2.0))
    assert scope.array(tile.input[1]).tolist() == [1, 1, 3, 1]


def test_slopes_of_channels():
    (spread, slopes), _ = modern(NODE("PRelu", ["x", "c"], ["y"]), c=C)
    assert attributes(spread) == {"axes": [1, 2]}
    assert list(slopes.input) == ["x", spread.output[0]]
    (one,), _ = modern(NODE("PRelu", ["x", "c"], ["y"]), c=C[:1])
    assert list(one.input) == ["x", "c"]


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (
            NODE("Add", ["x", "a"], ["y"], "n", broadcast=1, axis=3),
            r"broadcasts \[3, 4\] to \[2, 3, 4, 5\] from axis 3",
        ),
        (NODE("Add", ["x", "a"], ["y"], "n", broadcast=1, axis=-9), "from axis -9: it does not fit"),
        (NODE("Cast", ["x"], ["y"], "n", to="FLOAT17"), "makes a 'FLOAT17', which is no type"),
        (NODE("Tile", ["x", "a", "c"], ["y"], "n"), "repeats or an axis"),
        (NODE("Tile", ["x", "t", "t"], ["y"], "n"), "computes 't' at run time"),
    ],
)
def test_old_nodes_that_cannot_be(node, message):
    with pytest.raises(CompileError, match=rf"node 'n' \({node.op_type}\) .*{message}"):
        modern(node, a=A, c=C)


def test_branches_of_old_sets_are_old_too():
    then = helper.make_graph(
        [NODE("Concat", ["x", "x"], ["t"])], "g", [], [helper.make_tensor_value_info("t", TensorProto.FLOAT, None)]
    )
    node = NODE("If", ["c"], ["y"], then_branch=then, else_branch=then)
    model = make_model([node], {"x": X.shape}, weights={"c": np.array(True)}, opset=1)
    assert import_model(model, make_context()).outputs[0].shape == (2, 6, 4, 5)
