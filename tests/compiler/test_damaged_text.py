"""Texts of late stages, damaged in every way: what comes of them is an image or one sentence, never an exception.

An image that comes of such a text is checked as any other: whether its programs are right is the checker's to say.
"""

from pathlib import Path
from random import Random

import numpy as np
import onnx
import pytest
from damage import damaged
from onnx import TensorProto, helper, numpy_helper
from onnx_nets import Net

from compiler.compiling import compile_model, lower
from compiler.request import CompileRequest, make_request
from compiler.session.context import make_context
from emu.arch import Arch, Core, Crossbar
from emu.check import check
from emu.errors import EmuError
from emu.image.reader import open_image

ARCH = Arch(name="small", core=Core(crossbars=1000), crossbar=Crossbar(8, 8))
STAGES = {  # last pass -> granularity
    "lower-onnx-to-spat": "image",
    "cut-layers": "image",
    "place": "image",
    "lower-spat-to-pim": "rows:2",
    "allocate-buffers": "image",
}
QUICK, FULL = 30, 1000  # texts per stage


def convolutions() -> onnx.ModelProto:
    """Partial sums, groups, pooling, activations."""
    net = Net([1, 3, 6, 6])
    y = net.add("Relu", net.conv("x", 3, 6, (3, 3), pads=[1, 1, 1, 1]))
    y = net.add("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    return net.model(net.add("Flatten", net.add("LeakyRelu", net.conv(y, 6, 4, (2, 2), group=2), alpha=0.1)))


def vectors() -> onnx.ModelProto:
    """Products of vectors."""
    net = Net([1, 12])
    y = net.add("Relu", net.add("Gemm", "x", net.weights(8, 12), net.weights(8), transB=1))
    return net.model(net.add("Softmax", net.add("Gemm", y, net.weights(4, 8), transB=1)))


def images() -> onnx.ModelProto:
    """Normalisation, means whose counts differ, constants and tensors that are broadcast, a concatenation."""
    net = Net([1, 4, 5, 5])
    y = net.add("LRN", "x", size=3, alpha=0.3, beta=0.75, bias=1.5)
    y = net.add("AveragePool", y, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    y = net.add("Add", y, net.constant(net.rng.random((4, 1, 1)).astype(np.float32)))
    y = net.add("Mul", y, net.add("Sigmoid", net.add("GlobalAveragePool", y)))
    return net.model(net.add("Concat", y, "x", axis=1))


def five_axes() -> onnx.ModelProto:
    """Tensors of five dimensions."""
    net = Net([2, 3, 2, 2, 3])
    y = net.add("Transpose", "x", perm=[0, 2, 1, 4, 3])
    y = net.add("Add", y, net.constant(np.ones((3, 1, 2), np.float32)))
    return net.model(net.add("Softmax", y, axis=-1))


def bytes_moved() -> onnx.ModelProto:
    """Elements of one byte, a tensor in parts, another layout."""
    nodes = [
        helper.make_node("Split", ["x", "sizes"], ["a", "b"], axis=1),
        helper.make_node("Concat", ["b", "a"], ["c"], axis=1),
        helper.make_node("Reshape", ["c", "shape"], ["y"]),
    ]
    arrays = {"sizes": np.array([2, 4]), "shape": np.array([1, 12, 2])}
    ends = [
        helper.make_tensor_value_info(name, TensorProto.INT8, dims)
        for name, dims in (("x", [1, 6, 4]), ("y", [1, 12, 2]))
    ]
    weights = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


NETWORKS = (convolutions, vectors, images, five_axes, bytes_moved)


def request_of(model: object, stage: str, **options: object) -> CompileRequest:
    return make_request(model, ARCH, cores=6, granularity=STAGES[stage], **options)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """By stage, a text of each network, with its weights beside it."""
    made: dict[str, list[Path]] = {stage: [] for stage in STAGES}
    for stage in STAGES:
        for network in NETWORKS:
            folder = tmp_path_factory.mktemp(stage)
            request = request_of(network(), stage, dump=folder)
            lower(request, make_context(ARCH, request.options))
            made[stage] += folder.glob(f"*-{stage}.mlir")
    return made


def survive(texts: dict[str, list[Path]], stage: str, count: int, seed: int) -> None:
    """Compile `count` damaged texts of a stage."""
    rng = Random(seed)
    for _ in range(count):
        path = rng.choice(texts[stage])
        text = damaged(path.read_text(), rng)
        edited = path.with_name("edited.mlir.txt")
        edited.write_text(text)
        try:
            out = compile_model(request_of(None, stage, start=edited), path.with_name("out")).out
            assert out is not None
            check(open_image(out))
        except EmuError as error:
            assert "\n" not in str(error)


@pytest.mark.few(3)
@pytest.mark.parametrize("stage", STAGES)
def test_any_damaged_text_is_an_image_or_a_sentence(texts: dict[str, list[Path]], stage: str) -> None:
    survive(texts, stage, QUICK, seed=1)


@pytest.mark.full
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("seed", [2, 3])
def test_thousands_of_damaged_texts(texts: dict[str, list[Path]], stage: str, seed: int) -> None:
    survive(texts, stage, FULL, seed)
