"""Multiplications of nodes on the host: those of the products that ONNX defines, whatever form their operands have."""

import pytest
from onnx import helper

from compiler.host_parts.work import work_of

CASES = [  # operator, attributes, shapes of the inputs (None: no such input; "?": unknown) and of the result
    ("Conv", {}, [(1, 3, 8, 8), (4, 3, 3, 3)], (1, 4, 6, 6), 4 * 36 * 27),
    ("ConvTranspose", {}, [(1, 3, 4, 4), (3, 2, 2, 2)], (1, 2, 5, 5), 48 * 8),
    ("QLinearConv", {}, [(1, 3, 4, 4), (), (), (2, 3, 1, 1)], (1, 2, 4, 4), 32 * 3),
    ("MatMul", {}, [(5, 7), (7, 2)], (5, 2), 70),
    ("MatMul", {}, [(7,), (7, 2)], (2,), 14),
    ("MatMulInteger", {}, [(), ()], (), 1),
    ("Gemm", {}, [(5, 7), (7, 2)], (5, 2), 70),
    ("Gemm", {"transA": 1}, [(7, 5), (7, 2)], (5, 2), 70),
    ("LSTM", {}, [(6, 1, 3), (2, 16, 3), (2, 16, 4)], (6, 2, 1, 4), 6 * 2 * 4 * 4 * 7),
    ("RNN", {}, [(6, 1, 3), (1, 4, 3), (1, 4, 4), None], (6, 1, 1, 4), 6 * 4 * 7),
    ("Einsum", {"equation": "ij, jk -> ik"}, [(2, 3), (3, 5)], (2, 5), 30),
    ("Einsum", {"equation": "ij->ji"}, [(2, 3)], (3, 2), 0),
    ("Einsum", {"equation": "...i,i->..."}, [(2, 3), (3,)], (2,), 0),
    ("Attention", {}, [(1, 2, 4, 8), (1, 2, 6, 8), (1, 2, 6, 5)], (1, 2, 4, 5), 64 * 6 + 40 * 6),
    ("LinearClassifier", {"coefficients": [0.5] * 6}, [(4, 3)], (4,), 24),
    ("LinearRegressor", {}, [(4, 3)], (4, 1), 0),
    ("Relu", {}, [(4, 3)], (4, 3), 0),
    ("Gemm", {}, ["?", (7, 2)], (5, 2), 0),
    ("Gemm", {}, [(5, 7), (7, 2)], "?", 0),
]


@pytest.mark.parametrize(("kind", "attributes", "inputs", "made", "macs"), CASES)
def test_multiplications(kind, attributes, inputs, made, macs):
    names = ["" if shape is None else f"x{index}" for index, shape in enumerate(inputs)]
    node = helper.make_node(kind, names, ["y", "", "z"], **attributes)
    shapes = {name: shape for name, shape in [*zip(names, inputs, strict=True), ("y", made)] if shape != "?"}
    work = work_of(node, shapes.get, {"y": 40, "z": 2}.__getitem__)
    assert (work.operators, work.macs, work.bytes) == (1, macs, 42)


def test_a_node_without_results_makes_nothing():
    assert work_of(helper.make_node("MatMul", ["a", "b"], []), {"a": (2, 2), "b": (2, 2)}.get, len).macs == 0
