"""Operations that do nothing vanish, those that look alike but do something stay."""

import numpy as np
import pytest
from onnx import helper
from onnx_models import make_model, one_node, random_array
from onnx_passes import agree_after, kinds

from compiler.transforms.remove_identity import RemoveIdentityPass

SHAPE = (1, 3, 4, 5)
COLUMN = (1, 3, 1, 1)


@pytest.mark.parametrize(
    "model",
    [
        one_node("Identity", SHAPE),
        one_node("Dropout", SHAPE),
        one_node("Clip", SHAPE, np.float32(-np.inf), np.float32(np.inf)),
        one_node("Concat", SHAPE, axis=1),
        one_node("Flatten", (1, 6)),
        one_node("Reshape", SHAPE, np.array([0, 0, -1, 5])),
        one_node("Squeeze", (2,), np.array([], np.int64), opset=13),
        one_node("Transpose", SHAPE, perm=[0, 1, 2, 3]),
        one_node("Transpose", (1, 3, 1, 1), perm=[2, 1, 0, 3]),
        one_node("ReduceMean", COLUMN, axes=[2, 3]),
    ],
    ids=lambda model: model.graph.node[0].op_type,
)
def test_removed(model):
    assert kinds(agree_after(model, RemoveIdentityPass())) == []


@pytest.mark.parametrize(
    "model",
    [
        one_node("Clip", SHAPE, np.float32(0)),
        one_node("Clip", SHAPE),  # infinity is clipped to the largest number
        one_node("Concat", SHAPE, random_array(*SHAPE), axis=1),
        one_node("Flatten", SHAPE),
        one_node("Reshape", SHAPE, np.array([1, 3, 5, 4])),
        one_node("Transpose", (1, 3, 4, 4), perm=[0, 1, 3, 2]),
        one_node("Transpose", (1, 3, 1, 1), perm=[0, 2, 3, 1]),
        one_node("ReduceMean", COLUMN, axes=[2, 3], keepdims=0),
        one_node("ReduceMean", SHAPE, axes=[2, 3]),
    ],
    ids=lambda model: model.graph.node[0].op_type,
)
def test_kept(model):
    assert kinds(agree_after(model, RemoveIdentityPass())) == [model.graph.node[0].op_type]


def test_chains_and_outputs():
    nodes = [
        helper.make_node("Identity", ["x"], ["a"]),
        helper.make_node("Dropout", ["a"], ["b"]),
        helper.make_node("Relu", ["b"], ["c"]),
        helper.make_node("Identity", ["c"], ["d"]),
        helper.make_node("Identity", ["d"], ["e"]),
    ]
    module = agree_after(make_model(nodes, {"x": SHAPE}, ["e", "b", "c"]), RemoveIdentityPass())
    assert kinds(module) == ["Relu"]
    assert "res_attrs" not in str(module) and '{onnx.name = "e"}' in str(module)
