"""Folding BatchNormalization: into Conv and Gemm when nothing else reads them, else Mul and Add."""

import numpy as np
import pytest
from onnx import helper
from onnx_models import make_model, random_array
from onnx_passes import agree_after, kinds, legalise_onnx

from compiler.frontend.importer import import_model
from compiler.session.context import make_context
from compiler.transforms.fold_batchnorm import FoldBatchnormPass
from compiler.transforms.normalize_gemm import NormalizeGemmPass
from emu.errors import CompileError

NODE = helper.make_node
SHAPE = (1, 4, 5, 5)


def statistics(size: int) -> dict[str, np.ndarray]:
    arrays = {name: random_array(size, seed=index) for index, name in enumerate(("scale", "shift", "mean"))}
    return {**arrays, "var": np.abs(random_array(size, seed=9)) + 0.2}


def norm(x: str, y: str, name: str = "norm"):
    return NODE("BatchNormalization", [x, "scale", "shift", "mean", "var"], [y], name, epsilon=1e-3)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("group", [1, 2])
def test_into_convolution(bias, group):
    inputs = ["x", "w", "b"] if bias else ["x", "w"]
    nodes = [NODE("Conv", inputs, ["c"], "conv", group=group), norm("c", "y")]
    weights = {"w": random_array(6, 4 // group, 3, 3), "b": random_array(6, seed=5), **statistics(6)}
    module = agree_after(make_model(nodes, {"x": SHAPE}, weights=weights), FoldBatchnormPass())
    assert kinds(module) == ["Conv"]
    assert 'node = "conv", tensor = "y"' in str(module)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("kind", ["Conv", "ConvTranspose"])
def test_into_convolutions_of_volumes(kind, bias, group):
    inputs = ["x", "w", "b"] if bias else ["x", "w"]
    nodes = [NODE(kind, inputs, ["c"], "conv", group=group), norm("c", "y")]
    filters = (6, 4 // group) if kind == "Conv" else (4, 6 // group)
    weights = {"w": random_array(*filters, 2, 3, 1), "b": random_array(6, seed=5), **statistics(6)}
    module = agree_after(make_model(nodes, {"x": (2, 4, 3, 4, 2)}, weights=weights), FoldBatchnormPass())
    assert kinds(module) == [kind]


@pytest.mark.parametrize("bias", [True, False])
def test_into_gemm(bias):
    inputs = ["x", "w", "b"] if bias else ["x", "w"]
    nodes = [NODE("Gemm", inputs, ["g"], "fc", transB=1, alpha=0.5, beta=2.0), norm("g", "y")]
    weights = {"w": random_array(6, 8), "b": random_array(6, seed=5), **statistics(6)}
    model = make_model(nodes, {"x": (1, 8)}, weights=weights)
    assert kinds(agree_after(model, NormalizeGemmPass(), FoldBatchnormPass())) == ["Gemm"]
    assert kinds(agree_after(model, FoldBatchnormPass())) == ["Gemm", "Mul", "Add"]


def test_a_convolution_that_others_read_is_kept():
    nodes = [NODE("Conv", ["x", "w"], ["c"]), norm("c", "n"), NODE("Add", ["c", "n"], ["y"])]
    weights = {"w": random_array(6, 4, 3, 3), **statistics(6)}
    module = agree_after(make_model(nodes, {"x": SHAPE}, weights=weights), FoldBatchnormPass())
    assert kinds(module) == ["Conv", "Mul", "Add", "Add"]


def test_a_convolution_that_is_returned_is_kept():
    nodes = [NODE("Conv", ["x", "w"], ["c"]), norm("c", "y")]
    weights = {"w": random_array(6, 4, 3, 3), **statistics(6)}
    module = agree_after(make_model(nodes, {"x": SHAPE}, ["c", "y"], weights), FoldBatchnormPass())
    assert kinds(module) == ["Conv", "Mul", "Add"]


@pytest.mark.parametrize("shape", [(1, 4), (1, 4, 7), SHAPE])
def test_alone_it_multiplies_and_adds(shape):
    model = make_model([norm("x", "y")], {"x": shape}, weights=statistics(4))
    module = agree_after(model, FoldBatchnormPass())
    assert kinds(module) == ["Mul", "Add"]
    assert 'node = "norm/scale", tensor = "y/scale"' in str(module) and 'node = "norm", tensor = "y"' in str(module)


def test_two_in_a_row_fold_both():
    nodes = [NODE("Conv", ["x", "w"], ["c"]), norm("c", "n"), norm("n", "y", "second")]
    weights = {"w": random_array(6, 4, 3, 3), **statistics(6)}
    assert kinds(agree_after(make_model(nodes, {"x": SHAPE}, weights=weights), FoldBatchnormPass())) == ["Conv"]


def test_shared_filters_are_folded_apart():
    nodes = [
        NODE("Conv", ["x", "w"], ["c"]),
        norm("c", "n"),
        NODE("Conv", ["x", "w"], ["d"]),
        NODE("Sub", ["n", "d"], ["y"]),
    ]
    weights = {"w": random_array(6, 4, 3, 3), **statistics(6)}
    agree_after(make_model(nodes, {"x": SHAPE}, weights=weights), FoldBatchnormPass())


def test_negative_variance_is_refused():
    weights = {**statistics(4), "var": np.full(4, -1, np.float32)}
    context = make_context()
    module = import_model(make_model([norm("x", "y")], {"x": SHAPE}, weights=weights), context).module
    with pytest.raises(CompileError, match=r"node 'norm' \(BatchNormalization\) has a variance that is not positive"):
        legalise_onnx(context, module)
