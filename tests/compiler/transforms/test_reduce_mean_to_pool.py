"""ReduceMean over the image is a GlobalAveragePool, over anything else it is nests."""

import numpy as np
import pytest
from onnx_models import one_node
from onnx_passes import agree_after, kinds

from compiler.transforms.reduce_mean_to_pool import ReduceMeanToPoolPass

SHAPE = (1, 3, 5, 4)


@pytest.mark.parametrize(
    ("axes", "keepdims", "expected"),
    [
        ([2, 3], 1, ["GlobalAveragePool"]),
        ([-1, -2], 0, ["GlobalAveragePool", "Reshape"]),
        ([1, 2, 3], 1, ["nest.generic", "nest.generic"]),
        ([3], 1, ["nest.generic", "nest.generic"]),
        ([1, 2], 0, ["nest.generic", "nest.generic"]),
    ],
)
def test_axes(axes, keepdims, expected):
    model = one_node("ReduceMean", SHAPE, np.array(axes), opset=18, keepdims=keepdims)
    assert kinds(agree_after(model, ReduceMeanToPoolPass())) == expected


def test_names():
    model = one_node("ReduceMean", SHAPE, np.array([2, 3]), opset=18, keepdims=0)
    text = str(agree_after(model, ReduceMeanToPoolPass()))
    assert 'onnx.GlobalAveragePool(%0) {node = "the_node", tensor = "y/pool"}' in text
    assert '{node = "the_node/reshape", tensor = "y"}' in text


def test_other_ranks():
    model = one_node("ReduceMean", (1, 3, 5, 4, 2), np.array([2, 3]), opset=18)
    assert kinds(agree_after(model, ReduceMeanToPoolPass())) == ["nest.generic", "nest.generic"]
