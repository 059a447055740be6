"""The built-in networks: shapes, sane activations, outputs that depend on the input, passes that keep them."""

import hashlib

import numpy as np
import onnx
import pytest
from onnx import TensorProto
from onnx_export import evaluate_module, run_onnx
from onnx_passes import legalise_onnx

from compiler.frontend.importer import import_model
from compiler.session.context import make_context
from emu.errors import InputError
from launch import zoo
from launch.papers.on_chips.multiplications import macs_by_node

WEIGHTS = {  # parameters, in thousands, of the published networks
    "lenet5": 61.7,
    "mlp3": 1333.8,
    "resnet18": 11699,
    "resnet34": 21815,
    "resnet50": 25610,
    "resnet101": 44655,
    "vgg7": 12976,
    "vgg16": 138358,
    "googlenet": 6999,
    "mobilenet_v2": 3539,
    "squeezenet": 1235,
}
MORE_WEIGHTS = {  # likewise; of those that have been made smaller, what they have
    "densenet": 7979 + 83.6,  # and the means and variances of its normalisations
    "shufflenet": 2279 + 16.2,
    "unet": 1946,
    "resnet3d_small": 3705,
    "vit_tiny": 5717,
    "vit_b16": 86568,
    "bert_mini": 11171,
    "gpt_tiny": 4229,
    "lstm_net": 1056,
    "gru_net": 793,
    "wavenet": 199.8,
}
QUICK = ("lenet5", "mlp3", "squeezenet")
SLOW = tuple(pytest.param(name, marks=pytest.mark.full) for name in WEIGHTS if name not in QUICK)
ALIKE = {"resnet34", "resnet101"}  # made as others are, with other numbers of blocks
LARGE = {"vgg16", "resnet101", "vit_b16"}  # that take seconds to write
SMALL_BY_NATURE = ("softmax", "head.scale", "mask", "lowest")  # shares of one, and what is about to be summed
LARGE_BY_NATURE = ("scores", "masked", "causal", "mask")  # not yet divided by the root of their size; masked


def input_of(model: onnx.ModelProto, seed: int) -> dict[str, np.ndarray]:
    rng, found = np.random.default_rng(seed), {}
    for value in model.graph.input:
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        words = value.name == "input_ids"
        if value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            found[value.name] = rng.standard_normal(shape).astype(np.float32)
        else:
            found[value.name] = rng.integers(0, 4096 if words else 2, shape)
    return found


def with_all_outputs(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with every intermediate value as a further output."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    outputs = {output.name for output in model.graph.output}
    names = [name for node in model.graph.node for name in node.output if name not in outputs]
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


@pytest.mark.few(5)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full) if name in LARGE else name for name in MORE_WEIGHTS]
)
def test_more_networks(name):
    model = zoo.build(name)
    onnx.checker.check_model(model, full_check=True)
    assert model.ir_version <= 10 and 17 <= model.opset_import[0].version <= 20
    count = sum(np.prod(tensor.dims) for tensor in model.graph.initializer if tensor.data_type == TensorProto.FLOAT)
    assert count == pytest.approx(1000 * MORE_WEIGHTS[name], rel=0.005)
    every = with_all_outputs(model)
    names = [output.name for output in every.graph.output]
    first, second = (dict(zip(names, run_onnx(every, input_of(model, seed)), strict=True)) for seed in (1, 2))
    for tensor, array in first.items():
        size = float(np.sqrt(np.mean(np.square(array.astype(np.float64)))))
        assert size > 0.1 or any(word in tensor for word in SMALL_BY_NATURE), tensor
        assert size < 12 or any(word in tensor for word in LARGE_BY_NATURE), tensor
    for output in model.graph.output:
        one, other = first[output.name], second[output.name]
        assert np.abs(one - other).max() > 0.15 * np.abs(one).max()
        assert np.unique(one).size > 0.9 * one.size
    assert zoo.build(name).SerializeToString(deterministic=True) == model.SerializeToString(deterministic=True)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.full) if name in ALIKE else name for name in zoo.NAMES if name not in LARGE],
)
def test_the_table_says_how_large_they_are(name):
    model, row = zoo.build(name), zoo.NETWORKS[name]
    weights = sum(int(np.prod(tensor.dims)) for tensor in model.graph.initializer)
    assert weights == pytest.approx(row.weights * 1e6, rel=0.01)
    assert sum(macs_by_node(model).values()) == pytest.approx(row.macs * 1e6, rel=0.01)


def test_no_token_of_gpt_sees_a_later_one():
    model = zoo.build("gpt_tiny")
    sample = input_of(model, 1)
    changed = {"input_ids": sample["input_ids"].copy()}
    changed["input_ids"][0, 40:] += 1
    (before,), (after,) = run_onnx(model, sample), run_onnx(model, changed)
    np.testing.assert_array_equal(before[:, :40], after[:, :40])
    assert (np.abs(before[:, 40:] - after[:, 40:]).max(axis=2) > 0.1).all()


def test_no_sample_of_wavenet_sees_a_later_one():
    model = zoo.build("wavenet")
    sample = input_of(model, 1)
    changed = {"input": sample["input"].copy()}
    changed["input"][..., 900:] += 1
    (before,), (after,) = run_onnx(model, sample), run_onnx(model, changed)
    np.testing.assert_array_equal(before[..., :900], after[..., :900])
    assert np.abs(before[..., 900:] - after[..., 900:]).max() > 0.1


def test_seeds():
    digests = [hashlib.sha256(zoo.build("lenet5", seed).SerializeToString()).hexdigest() for seed in (0, 0, 1)]
    assert digests[0] == digests[1] != digests[2]


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="no built-in network 'alexnet': choose one of lenet5, mlp3"):
        zoo.build("alexnet")


def test_what_the_networks_cover():
    """Together they hold the operators that compilers get wrong."""
    kinds = {
        node.op_type
        for name in (*QUICK, "mobilenet_v2", "resnet18", "googlenet")
        for node in zoo.build(name).graph.node
    }
    assert {"LRN", "Concat", "BatchNormalization", "ReduceMean", "AveragePool", "Softmax", "Clip", "Dropout"} <= kinds
