"""Operations of an edited text are checked as nodes: what the importer makes passes, all else is refused."""

import re

import numpy as np
import pytest
from onnx import helper
from onnx_models import make_model, one_node, random_array
from stage_text import dump_stage

from compiler.compiling import lower
from compiler.frontend.importer import import_model
from compiler.passes import PASSES
from compiler.request import make_request
from compiler.session.context import make_context
from compiler.text import print_module, read_module
from compiler.transforms.onnx_pipeline import ONNX_PIPELINE
from emu.arch import Arch
from emu.errors import CompileError

IMAGE = (1, 4, 6, 6)
STATISTICS = [np.ones(4, np.float32)] * 4


def network():
    """Something of everything that a shape or an attribute can be wrong of."""
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["a"], "conv", group=2, pads=[1, 1, 1, 1]),
        helper.make_node("MaxPool", ["a"], ["c"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("LRN", ["c"], ["d"], "lrn", size=3),
        helper.make_node("Split", ["d"], ["e", "f"], "cut", axis=1),
        helper.make_node("Concat", ["f", "e"], ["g"], "join", axis=1),
        helper.make_node("Transpose", ["g"], ["h"], "turn", perm=[0, 2, 3, 1]),
        helper.make_node("Unsqueeze", ["h"], ["i"], "open", axes=[1]),
        helper.make_node("Squeeze", ["i"], ["j"], "close", axes=[1]),
        helper.make_node("ReduceMean", ["j"], ["k"], "mean", axes=[2, 3], keepdims=0),
        helper.make_node("Gemm", ["k", "v", "r"], ["l"], "fc", transB=1),
        helper.make_node("Softmax", ["l"], ["m"], "soft", axis=1),
        helper.make_node("Reshape", ["m", "s"], ["y"], "shape"),
    ]
    weights = {"w": random_array(4, 2, 3, 3), "b": random_array(4), "v": random_array(6, 3), "r": random_array(6)}
    return make_model(nodes, {"x": IMAGE}, weights={**weights, "s": np.array([2, 3])}, opset=12)


@pytest.fixture(scope="module")
def text():
    return print_module(import_model(network(), make_context()).module, generic=True)


def read(folder, text):
    (folder / "net.mlir").write_text(text)
    return read_module(folder / "net.mlir", make_context())


@pytest.mark.parametrize(
    "model",
    [
        network(),
        one_node("Conv", (1, 4, 9), random_array(6, 2, 3), random_array(6), group=2),
        one_node("Clip", IMAGE, np.float32(0)),
        one_node("LeakyRelu", IMAGE, alpha=0.1),
        one_node("AveragePool", IMAGE, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
        one_node("BatchNormalization", IMAGE, *STATISTICS),
        one_node("Gemm", (3, 4), random_array(4, 5), random_array(3, 1)),
        one_node("MatMul", (1, 3, 8), random_array(1, 8, 5)),
        one_node("Softmax", IMAGE, opset=11),
        one_node("Mul", IMAGE, random_array(6, 1), opset=6, broadcast=1, axis=2),
        one_node("ReduceMean", (), opset=18),
        one_node("Reshape", (2, 0), np.array([0, 7, 0]), allowzero=1),
        one_node("Squeeze", (1, 3, 1)),
        one_node("Sum", IMAGE, random_array(6), random_array(4, 1, 1)),
    ],
    ids=lambda model: model.graph.node[0].op_type,
)
def test_what_importer_and_passes_make_passes(tmp_path, model):
    context = make_context()
    module = import_model(model, context).module
    for name in (None, *ONNX_PIPELINE):
        if name is not None:
            PASSES[name]().apply(context, module)
        written = print_module(module)
        assert print_module(read(tmp_path, written)) == written


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("1x4x3x3xf32", "1x4x3x4xf32", "node 'pool' (MaxPool) makes a tensor<1x4x3x3xf32>, not a tensor<1x4x3x4xf32>"),
        ("4x2x3x3xf32", "4x3x3x3xf32", "node 'conv' (Conv) has weights [4, 3, 3, 3] and group 2, which do not fit"),
        ("group = 2", "group = 3", "node 'conv' (Conv) has weights [4, 2, 3, 3] and group 3"),
        ("kernel_shape = array<i64: 3, 3>", "kernel_shape = array<i64: 3>", "node 'conv' (Conv) has a kernel_shape"),
        ("strides = array<i64: 2, 2>", "strides = array<i64: 0, 2>", "'pool' (MaxPool) has kernel (2, 2), strides (0"),
        ("size = 3", "size = 0", "node 'lrn' (LRN) has size 0"),
        ("split = array<i64: 2, 2>", "split = array<i64: 1, 2>", "'cut' (Split) cannot cut axis 1 of shape [1, 4,"),
        ('["e", "f"]', '["e"]', "onnx.Split of node cut must have one size and one name for each result"),
        ('<{axis = 1 : i64, node = "join"', '<{axis = 2 : i64, node = "join"', "node 'join' (Concat) makes a"),
        ('<{axis = 1 : i64, node = "join"', '<{axis = -3 : i64, node = "join"', "'join' (Concat) has axis -3 for 1"),
        ("perm = array<i64: 0, 2, 3, 1>", "perm = array<i64: 0, 2, 2, 1>", "node 'turn' (Transpose) has perm"),
        ("axes = array<i64: 2, 3>", "axes = array<i64: 3, 2>", "node 'mean' (ReduceMean) has axes (3, 2) for (2, 3)"),
        ("axes = array<i64: 2, 3>", "axes = array<i64: 2, 2>", "node 'mean' (ReduceMean) names an axis twice"),
        ("keepdims = 0", "keepdims = 2", "node 'mean' (ReduceMean) has keepdims 2 for 1"),
        ("transB = 1", "transB = 0", "node 'fc' (Gemm) multiplies [1, 3] by [6, 3]"),
        ("tensor<6xf32>", "tensor<5xf32>", "'fc' (Gemm) has a bias of shape [5], which does not broadcast to [1, 6]"),
        ("tensor<2x3xf32>", "tensor<2x4xf32>", "node 'shape' (Reshape) cannot turn shape [1, 6] into [2, 4]"),
        ("tensor<6xf32>", "tensor<99999999999xf32>", "has a value of 99999999999 elements: a tensor may have"),
        ("xf32", "xf16", "onnx.Conv of node conv computes in float32 only, not in tensor<1x4x6x6xf16>"),
        ("tensor<4xf32>", "tensor<4xi8>", "onnx.Conv of node conv computes in float32 only, not in tensor<4xi8>"),
        ("tensor<4xf32>", "tensor<?xf32>", "onnx.Constant of node b has a value that is no static tensor"),
        ('{onnx.name = "x"}', '{onnx.name = "x"}, {onnx.name = "z"}', "func.func must have one name for each input"),
    ],
)  # fmt: skip
def test_what_the_importer_would_not_make_is_refused(tmp_path, text, old, new, words):
    assert old in text
    with pytest.raises(CompileError) as caught:
        read(tmp_path, text.replace(old, new))
    sentence = str(caught.value)
    assert re.match(rf"{re.escape(str(tmp_path))}/net.mlir: line \d+(, column \d+)?: ", sentence)
    assert words in sentence and "\n" not in sentence


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"func.func"() <{sym_name = "main", function_type = () -> ()}> ({}) : () -> ()\nBODY', "one func.func"),
        ("func.func @a() {\n  BODY\n  func.return\n}\nfunc.func @b() {\n  func.return\n}", "nothing beside it"),
        ("BODY", "a network must be one func.func"),
        ("func.func @main() {\n  BODY\n}", "line 2: .*onnx.Constant.* terminates block"),
        ("func.func @main(%x: i32) {\n  BODY\n  func.return\n}", "line 1: func.func has an input that is no static"),
        ("func.func @main(%x: tensor<2xf64>) {\n  BODY\n  func.return\n}", "an input that is no static tensor of"),
    ],
)
def test_the_function_around_them(tmp_path, text, words):
    body = '%w = "onnx.Constant"() <{node = "w", tensor = "w", key = "w"}> : () -> tensor<2xf32>'
    with pytest.raises(CompileError, match=words):
        read(tmp_path, text.replace("BODY", body))


def test_uses_of_values_are_left_as_they_are(tmp_path, text):
    """Passes ask how often a value is used."""
    module = read(tmp_path, text)
    arguments = module.body.block.first_op.body.block.args
    assert [len(list(argument.uses)) for argument in arguments] == [1]


def test_a_text_of_a_later_stage_is_none_of_this(tmp_path):
    path = dump_stage(tmp_path, make_request(one_node("Relu", (1, 4)), Arch(), cores=4, until="spat"))
    lower(make_request(None, Arch(), cores=4, start=path), make_context())
