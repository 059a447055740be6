"""The built-in networks: shapes, sane activations, outputs that depend on the input, passes that keep them."""

import hashlib

import numpy as np
import onnx
import pytest
from onnx_export import evaluate_module, run_onnx

from compiler import zoo
from compiler.frontend.importer import import_model
from compiler.session.context import make_context
from compiler.transforms.onnx_pipeline import legalise_onnx
from emu.errors import InputError

WEIGHTS = {  # parameters, in thousands, of the published networks
    "lenet5": 61.7,
    "mlp3": 1333.8,
    "resnet18": 11699,
    "resnet50": 25610,
    "vgg16": 138358,
    "googlenet": 6999,
    "mobilenet_v2": 3539,
    "squeezenet": 1235,
}
QUICK = ("lenet5", "mlp3", "squeezenet", "mobilenet_v2")
SLOW = tuple(pytest.param(name, marks=pytest.mark.full) for name in zoo.NAMES if name not in QUICK)


def input_of(model: onnx.ModelProto, seed: int) -> dict[str, np.ndarray]:
    (value,) = model.graph.input
    shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
    return {value.name: np.random.default_rng(seed).standard_normal(shape).astype(np.float32)}


def with_all_outputs(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with every intermediate value as a further output."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    names = [node.output[0] for node in model.graph.node[:-1]]
    copy.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in names)
    return copy


@pytest.mark.parametrize("name", [*QUICK, *SLOW])
def test_network(name):
    model = zoo.build(name)
    onnx.checker.check_model(model)
    count = sum(np.prod(tensor.dims) for tensor in model.graph.initializer)
    assert count == pytest.approx(1000 * WEIGHTS[name], rel=0.005)
    outputs = [run_onnx(with_all_outputs(model), input_of(model, seed)) for seed in (1, 2)]
    sizes = [float(np.sqrt(np.mean(np.square(array)))) for array in outputs[0][1:]]
    assert min(sizes) > 0.1 and max(sizes) < (150 if name == "googlenet" else 10)
    first, second = outputs[0][0], outputs[1][0]
    assert np.abs(first - second).max() > 0.2 * np.abs(first).max()
    assert np.unique(first).size > 0.9 * first.size
    context = make_context()
    imported = import_model(model, context)
    legalise_onnx(context, imported.module)
    got = evaluate_module(imported.module, context, input_of(model, 1))[0]
    np.testing.assert_allclose(got, first, rtol=0, atol=1e-4 * np.abs(first).max())
    assert context.warnings == []


def test_seeds():
    digests = [hashlib.sha256(zoo.build("lenet5", seed).SerializeToString()).hexdigest() for seed in (0, 0, 1)]
    assert digests[0] == digests[1] != digests[2]


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="no built-in network 'alexnet': choose one of lenet5, mlp3"):
        zoo.build("alexnet")


def test_what_the_networks_cover():
    """Together they hold the operators that compilers get wrong."""
    kinds = {node.op_type for name in (*QUICK, "resnet18", "googlenet") for node in zoo.build(name).graph.node}
    assert {"LRN", "Concat", "BatchNormalization", "ReduceMean", "AveragePool", "Softmax", "Clip", "Dropout"} <= kinds
