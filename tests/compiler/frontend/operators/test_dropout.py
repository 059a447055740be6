"""Dropout at inference: its operand, and a mask of all elements where that is used."""

import numpy as np
import pytest
from one_nodes import computed, node_model, numbers
from onnx import helper

MASKED = {6: "f4", 7: "f4", 10: "?", 12: "?", 22: "?"}  # operator set -> the type of the mask


@pytest.mark.parametrize("opset", MASKED)
def test_the_mask_is_of_all_elements(opset):
    x = {"x": numbers(np.dtype("f4"), (2, 3))}
    x["x"][0, 1] = np.nan
    attributes = {"is_test": 1} if opset == 6 else {}
    model = node_model(
        "Dropout", x, opset=opset, outputs=("y", "mask"), types=[np.dtype("f4"), MASKED[opset]], **attributes
    )
    found = computed(model, x)
    np.testing.assert_array_equal(found["y"], x["x"])
    np.testing.assert_array_equal(found["mask"], np.ones((2, 3), MASKED[opset]))
    assert found["mask"].dtype == MASKED[opset]


def test_a_mask_that_nobody_uses_is_not_made():
    x = {"x": numbers(np.dtype("f4"), (2, 3))}
    model = node_model("Dropout", x, opset=13, outputs=("y", "mask"))
    del model.graph.output[1]
    model.graph.node.append(helper.make_node("Relu", ["y"], ["z"]))
    model.graph.output[0].name = "z"
    np.testing.assert_array_equal(computed(model, x)["z"], np.maximum(x["x"], 0))
