"""Folding the addition of a constant per channel into the bias of the product before it."""

import numpy as np
import pytest
from onnx import helper
from onnx_models import make_model, random_array
from onnx_passes import agree_after, kinds

from compiler.transforms.fold_bias import FoldBiasPass, per_channel

NODE = helper.make_node
SHAPE = (1, 4, 5, 5)


def conv_add(addend: np.ndarray, bias: bool = False, swapped: bool = False):
    nodes = [
        NODE("Conv", ["x", "w", "b"] if bias else ["x", "w"], ["c"], "conv"),
        NODE("Add", ["a", "c"] if swapped else ["c", "a"], ["y"], "add"),
    ]
    weights = {"w": random_array(6, 4, 3, 3), "b": random_array(6, seed=2), "a": addend}
    return make_model(nodes, {"x": SHAPE}, weights=weights)


@pytest.mark.parametrize("shape", [(6, 1, 1), (1, 6, 1, 1), (1,), ()])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("swapped", [True, False])
def test_convolution(shape, bias, swapped):
    module = agree_after(conv_add(random_array(*shape, seed=3), bias, swapped), FoldBiasPass())
    assert kinds(module) == ["Conv"]
    assert 'node = "conv", tensor = "y"' in str(module)


@pytest.mark.parametrize("shape", [(3, 3), (6, 3, 1), (1, 6, 1, 3)])
def test_what_varies_over_the_image_stays(shape):
    assert kinds(agree_after(conv_add(random_array(*shape)), FoldBiasPass())) == ["Conv", "Add"]


@pytest.mark.parametrize(("x", "expected"), [((1, 8), ["Gemm"]), ((1, 3, 8), ["MatMul", "Add"])])
def test_matmul_of_a_vector_becomes_gemm(x, expected):
    nodes = [NODE("MatMul", ["x", "w"], ["p"], "product"), NODE("Add", ["p", "a"], ["y"])]
    weights = {"w": random_array(8, 5), "a": random_array(5)}
    module = agree_after(make_model(nodes, {"x": x}, weights=weights), FoldBiasPass())
    assert kinds(module) == expected


def test_an_addition_that_widens_stays():
    nodes = [NODE("MatMul", ["x", "w"], ["p"]), NODE("Add", ["p", "a"], ["y"])]
    weights = {"w": random_array(8, 1), "a": random_array(5)}
    assert kinds(agree_after(make_model(nodes, {"x": (1, 8)}, weights=weights), FoldBiasPass())) == ["MatMul", "Add"]


def test_a_product_that_others_read_stays():
    nodes = [NODE("MatMul", ["x", "w"], ["p"]), NODE("Add", ["p", "a"], ["q"]), NODE("Mul", ["p", "q"], ["y"])]
    weights = {"w": random_array(8, 5), "a": random_array(5)}
    module = agree_after(make_model(nodes, {"x": (1, 8)}, weights=weights), FoldBiasPass())
    assert kinds(module) == ["MatMul", "Add", "Mul"]


def test_two_additions_fold_both():
    nodes = [NODE("MatMul", ["x", "w"], ["p"]), NODE("Add", ["p", "a"], ["q"]), NODE("Add", ["b", "q"], ["y"])]
    weights = {"w": random_array(8, 5), "a": random_array(5), "b": random_array(1, 5, seed=1)}
    assert kinds(agree_after(make_model(nodes, {"x": (1, 8)}, weights=weights), FoldBiasPass())) == ["Gemm"]


def test_per_channel():
    assert per_channel(np.arange(3.0), (1, 2, 3), 1) is None
    np.testing.assert_array_equal(per_channel(np.arange(3.0).reshape(3, 1), (1, 3, 2), 1), [0, 1, 2])
    np.testing.assert_array_equal(per_channel(np.array(7.0), (1, 3, 2), 1), [7, 7, 7])
    assert per_channel(np.zeros((1, 1, 3, 1)), (3, 2), 1) is None
