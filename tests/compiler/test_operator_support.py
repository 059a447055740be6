"""What docs/operators.md says of each operator is so: what it names compiles, what it excludes is refused."""

import numpy as np
import pytest
from one_nodes import operator_model
from onnx import TensorProto, helper
from onnx_models import make_model, one_node, random_array
from operator_words import SUPPORT

import compiler
from compiler.frontend.operators import MICROSOFT, ML
from compiler.frontend.operators.pointwise import ROWS
from compiler.frontend.operators.reduction import OPERATORS as REDUCTIONS
from emu.errors import CompileError
from emu.isa.dtypes import DType

IMAGE, SIGNAL, ROW, VOLUMES = (1, 4, 6, 6), (1, 4, 9), (1, 6), (2, 4, 3, 5, 4)
NUMBER = np.float32(0.5)
AXES = np.array
NUMBERS, FLOATS = np.array([1, 3], np.float32), {"y": np.float32}
SCALES = np.array([1, 1, 1.5, 2], np.float32)
CHOICE = [helper.make_node("Less", ["a", "b"], ["c"]), helper.make_node("Where", ["c", "a", "b"], ["y"])]
PADDED = helper.make_node("Pad", ["x", "p", "v"], ["y"])
STATISTICS = [random_array(4, seed=1), random_array(4, seed=2), random_array(4, seed=3), np.ones(4, np.float32)]

BYTES = {  # of QLinearMatMul, behind its input
    **{"xs": NUMBER, "xz": np.int8(0), "w": np.ones((4, 3), np.int8), "ws": NUMBER, "wz": np.int8(0)},
    **{"ys": NUMBER, "yz": np.int8(1)},
}


def reshaped(shape, node):
    """y = `node`, whose input `r` is x of the shape 1 x 6 in another shape."""
    nodes = [helper.make_node("Reshape", ["x", "s"], ["r"]), node]
    return make_model(nodes, {"x": ROW}, weights={"s": AXES(shape), "w": random_array(shape[0], 5)})


def two(kind, left, right, **attributes):
    """y = kind(a, b) of two inputs."""
    return make_model([helper.make_node(kind, ["a", "b"], ["y"], "the_node", **attributes)], {"a": left, "b": right})


def split(shape, axis):
    """y, z = the two parts of x along an axis."""
    node = helper.make_node("Split", ["x", "s"], ["y", "z"], "the_node", axis=axis)
    sizes = AXES([1, shape[axis] - 1])
    return make_model([node], {"x": shape}, ("y", "z"), {"s": sizes})


def function(kind):
    """y = kind(x, ...), a function of elements, of a type that it takes."""
    takes = ROWS[kind].takes
    dtype = np.float32 if DType.f32 in takes else np.bool_ if DType.bool in takes else np.uint8
    attributes = {"BitShift": {"direction": "LEFT"}, "Mod": {"fmod": 1}}.get(kind, {})
    compares = kind in ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "IsNaN", "IsInf")
    constants = {"w": np.ones(IMAGE, dtype)} if ROWS[kind].least == 2 else {}
    outputs, opset = {"y": np.bool_ if compares else dtype}, {"Swish": 24, "SwiGLU": 28}.get(kind, 20)
    return operator_model(kind, {"x": np.zeros(IMAGE, dtype)}, constants, opset=opset, outputs=outputs, **attributes)


def quantise(kind, dtype, result, *scales, outputs=("y",), **attributes):
    """kind(x, scale, zero point) of an image of a type."""
    constants = dict(zip("sz", scales, strict=False))
    types = dict.fromkeys(outputs, result)
    if len(outputs) > 1:
        types["scale"] = np.float32
    return operator_model(kind, {"x": np.zeros(IMAGE, dtype)}, constants, opset=21, outputs=types, **attributes)


def integers(kind, shape, constants):
    """kind(x, w, zero point) of an image of bytes, which makes int32."""
    return operator_model(kind, {"x": np.zeros(shape, np.uint8)}, constants, outputs={"y": np.int32})


def rotary(**attributes):
    """RotaryEmbedding of 6 tokens with 6 features, 4 heads."""
    operands = {"x": np.ones(IMAGE, np.float32), "c": random_array(1, 6, 3), "s": random_array(1, 6, 3)}
    return operator_model("RotaryEmbedding", operands, opset=23, **attributes)


RUNS = {
    **{kind: [function(kind)] for kind in ROWS},
    **{kind: [one_node(kind, IMAGE, AXES([1]), opset=18), one_node(kind, ROW, opset=18)] for kind in REDUCTIONS},
    **{kind: [one_node(kind, IMAGE, axis=1), one_node(kind, ROW)] for kind in ("LogSoftmax", "Hardmax")},
    "LayerNormalization": [one_node("LayerNormalization", IMAGE, random_array(6, 6), random_array(6), axis=2)],
    "RMSNormalization": [one_node("RMSNormalization", IMAGE, random_array(6), opset=23)],
    "GroupNormalization": [
        one_node("GroupNormalization", shape, *STATISTICS[:2], opset=21, num_groups=2) for shape in (IMAGE, SIGNAL)
    ],
    "InstanceNormalization": [one_node("InstanceNormalization", shape, *STATISTICS[:2]) for shape in (IMAGE, SIGNAL)],
    "MeanVarianceNormalization": [one_node("MeanVarianceNormalization", IMAGE, opset=9, axes=[1, 3])],
    "LpNormalization": [one_node("LpNormalization", IMAGE, p=p, axis=1) for p in (1, 2)],
    "QuantizeLinear": [
        quantise("QuantizeLinear", np.float32, np.int8, NUMBER, np.int8(1)),
        quantise("QuantizeLinear", np.float32, np.uint8, np.ones((1, 4, 3, 6), np.float32), axis=2, block_size=2),
        quantise("QuantizeLinear", np.float16, np.int16, np.float16(0.5), np.int16(1)),
    ],
    "DequantizeLinear": [
        quantise("DequantizeLinear", np.int32, np.float32, np.ones(4, np.float32), axis=1),
        quantise("DequantizeLinear", np.uint8, np.float16, np.ones(4, np.float16), axis=1),
    ],
    "DynamicQuantizeLinear": [quantise("DynamicQuantizeLinear", np.float32, np.uint8, outputs=("y", "scale", "zero"))],
    "QLinearMatMul": [operator_model("QLinearMatMul", {"x": np.zeros((2, 4), np.int8)}, BYTES)],
    "Einsum": [operator_model("Einsum", {"x": random_array(2, 4)}, {"w": random_array(4, 5)}, equation="ij,jk->ik")],
    "RotaryEmbedding": [rotary(), rotary(interleaved=1)],
    "Conv": [
        one_node("Conv", IMAGE, random_array(4, 2, 3, 3), random_array(4), group=2, strides=[2, 1], pads=[1, 0, 1, 2]),
        one_node("Conv", SIGNAL, random_array(3, 4, 3), dilations=[2], auto_pad="VALID"),
        one_node("Conv", VOLUMES, random_array(3, 4, 2, 3, 3), pads=[1] * 6),
    ],
    "ConvTranspose": [
        one_node("ConvTranspose", IMAGE, random_array(4, 2, 3, 3), random_array(4), group=2, strides=[2, 1]),
        one_node("ConvTranspose", SIGNAL, random_array(4, 3, 2), dilations=[2], output_shape=[12]),
        one_node("ConvTranspose", VOLUMES, random_array(4, 3, 2, 2, 2), strides=[2, 2, 2], auto_pad="SAME_UPPER"),
    ],
    "Gemm": [
        one_node("Gemm", ROW, random_array(5, 6), random_array(5), transB=1, alpha=2.0, beta=0.5),
        *(reshaped(shape, helper.make_node("Gemm", ["r", "w"], ["y"], transA=1)) for shape in ((6, 1), (3, 2))),
        make_model(
            [helper.make_node("Gemm", ["x", "w", "b"], ["y"])],
            {"x": ROW, "b": (1, 5)},
            weights={"w": random_array(6, 5)},
        ),
    ],
    "MatMul": [
        *(one_node("MatMul", shape, random_array(6, 5)) for shape in (ROW, (6,), (2, 1, 3, 7, 6))),
        one_node("MatMul", (2, 3, 4), random_array(2, 4, 5)),
        make_model([helper.make_node("MatMul", ["w", "x"], ["y"])], {"x": ROW}, weights={"w": random_array(3, 1)}),
    ],
    "BatchNormalization": [
        one_node("BatchNormalization", shape, *STATISTICS) for shape in (IMAGE, SIGNAL, VOLUMES, (3, 4))
    ],
    "LRN": [one_node("LRN", shape, size=3) for shape in (IMAGE, SIGNAL, VOLUMES)],
    "Softmax": [one_node("Softmax", IMAGE, axis=2), one_node("Softmax", ROW)],
    "MaxPool": [
        one_node("MaxPool", IMAGE, kernel_shape=[2, 2], strides=[2, 2], dilations=[2, 1], ceil_mode=1),
        one_node("MaxPool", SIGNAL, kernel_shape=[3], auto_pad="SAME_UPPER"),
        one_node("MaxPool", VOLUMES, kernel_shape=[2, 2, 2], pads=[1] * 6),
        make_model(
            [helper.make_node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2, 2], storage_order=1)],
            {"x": IMAGE},
            ("y", "i"),
        ),
    ],
    "AveragePool": [
        one_node("AveragePool", IMAGE, kernel_shape=[3, 3], pads=[1] * 4, count_include_pad=1),
        one_node("AveragePool", SIGNAL, kernel_shape=[2], strides=[2], pads=[1, 1], ceil_mode=1, count_include_pad=1),
        one_node("AveragePool", VOLUMES, kernel_shape=[2, 2, 2], dilations=[1, 2, 1], opset=19),
    ],
    **{
        kind: [one_node(kind, shape) for shape in (IMAGE, SIGNAL, VOLUMES)]
        for kind in ("GlobalAveragePool", "GlobalMaxPool")
    },
    "ReduceMean": [one_node("ReduceMean", IMAGE, AXES([2, 3]), opset=18, keepdims=keep) for keep in (0, 1)],
    **{
        kind: [two(kind, IMAGE, IMAGE), two(kind, IMAGE, (1, 4, 1, 1)), one_node(kind, IMAGE, random_array(6) + 9)]
        for kind in ("Add", "Sub", "Mul", "Div")
    },
    "Sum": [one_node("Sum", IMAGE), one_node("Sum", IMAGE, random_array(6), random_array(4, 1, 1))],
    **{
        kind: [one_node(kind, shape) for shape in (IMAGE, SIGNAL, ROW, (6,))]
        for kind in ("Relu", "LeakyRelu", "Sigmoid", "Tanh")
    },
    "Clip": [one_node("Clip", IMAGE, np.float32(0), NUMBER), one_node("Clip", (6,), None, NUMBER)],
    "Concat": [two("Concat", IMAGE, IMAGE, axis=axis) for axis in (0, 1, 2, 3)],
    "Flatten": [one_node("Flatten", IMAGE)],
    "Reshape": [one_node("Reshape", IMAGE, AXES([1, 144])), one_node("Reshape", ROW, AXES([1, 2, 3, 1]))],
    "Split": [split(IMAGE, axis) for axis in (1, 2, 3)],
    "Squeeze": [one_node("Squeeze", (1, 4, 1, 6), AXES([2]))],
    "Unsqueeze": [one_node("Unsqueeze", ROW, AXES([2]))],
    "Transpose": [one_node("Transpose", IMAGE, perm=[0, 3, 1, 2])],
    **{
        kind: [one_node(kind, (5, 2, 4), random_array(1, gates * 3, 4), random_array(1, gates * 3, 3), hidden_size=3)]
        for kind, gates in {"RNN": 1, "GRU": 3, "LSTM": 4}.items()
    },
    "Identity": [one_node("Identity", IMAGE)],
    "Dropout": [one_node("Dropout", IMAGE)],
    "Slice": [one_node("Slice", IMAGE, AXES([1]), AXES([5]), AXES([axis]), AXES([2])) for axis in range(1, 4)],
    "Expand": [one_node("Expand", ROW, AXES([2, 4, 6]))],
    "Tile": [one_node("Tile", IMAGE, AXES([1, 2, 1, 3]))],
    "Gather": [one_node("Gather", IMAGE, AXES([3, 2, 0]), axis=axis) for axis in range(1, 4)],
    "DepthToSpace": [one_node("DepthToSpace", IMAGE, blocksize=2, mode=mode) for mode in ("DCR", "CRD")],
    "SpaceToDepth": [one_node("SpaceToDepth", IMAGE, blocksize=2)],
    "Pad": [
        *(one_node("Pad", IMAGE, AXES([0, 0, 1, -1, 0, 1, 2, 0]), mode=mode) for mode in ("constant", "edge")),
        one_node("Pad", IMAGE, AXES([0, 0, 1, 1, 0, 0, 1, 1]), NUMBER),
        make_model(
            [helper.make_node("Pad", ["x", "p", "v"], ["y"])], {"x": ROW, "v": ()}, weights={"p": AXES([1] * 4)}
        ),
    ],
    "Where": [make_model(CHOICE, {"a": IMAGE, "b": (6,)})],
    "Trilu": [one_node("Trilu", IMAGE, AXES(1)), one_node("Trilu", IMAGE, upper=0)],
    "Cast": [one_node("Cast", IMAGE, to=TensorProto.FLOAT)],
    "CastLike": [one_node("CastLike", IMAGE, NUMBER)],
    "CumSum": [one_node("CumSum", IMAGE, AXES(axis), exclusive=1, reverse=1) for axis in range(1, 4)],
    "Resize": [one_node("Resize", IMAGE, None, SCALES, mode=mode) for mode in ("nearest", "linear", "cubic")],
    "Upsample": [one_node("Upsample", IMAGE, SCALES, opset=9, mode=mode) for mode in ("nearest", "linear")],
}
ALWAYS = {  # by every run
    **{
        kind: [operator_model(kind, {"x": random_array(*IMAGE)}, outputs={"y": np.int64}, axis=1)]
        for kind in ("ArgMax", "ArgMin")
    },
    "Attention": [operator_model("Attention", {name: random_array(2, 3, 4, 6) for name in "qkv"}, opset=23)],
    "ConvInteger": [integers("ConvInteger", (1, 4, 6, 6), {"w": np.ones((3, 4, 2, 2), np.uint8), "xz": np.uint8(1)})],
    "MatMulInteger": [integers("MatMulInteger", (4, 3), {"w": np.ones((3, 2), np.uint8), "xz": np.uint8(12)})],
    "QLinearConv": [
        operator_model(
            "QLinearConv",
            {"x": np.zeros(IMAGE, np.int8)},
            {**BYTES, "w": np.ones((3, 4, 2, 2), np.int8)},
        )
    ],
    "GatherElements": [one_node("GatherElements", (3, 3), AXES([[1, 2, 0], [2, 0, 0]]), axis=0)],
    "GatherND": [one_node("GatherND", (2, 2, 2), AXES([[[0, 1]], [[1, 0]]]), opset=12)],
    "OneHot": [
        operator_model("OneHot", {"x": np.zeros(3, np.int64)}, {"depth": AXES(10), "values": NUMBERS}, outputs=FLOATS)
    ],
    **{
        kind: [one_node(kind, (1, 5), AXES([[1, 3]]), random_array(1, 2), opset=opset, axis=1)]
        for kind, opset in (("Scatter", 10), ("ScatterElements", 18))
    },
    "ScatterND": [one_node("ScatterND", (4, 4), AXES([[0], [2]]), random_array(2, 4), opset=18)],
    "TopK": [
        operator_model("TopK", {"x": random_array(3, 4)}, {"k": AXES([3])}, outputs={"y": np.float32, "i": np.int64})
    ],
}
REFUSED = [
    (one_node("Conv", ROW, random_array(3, 6)), "no dimension beside samples and channels"),
    (two("Conv", IMAGE, (1, 4, 3, 3)), "weights"),
    (two("ConvTranspose", IMAGE, (4, 1, 3, 3)), "weights"),
    (one_node("LRN", SIGNAL, size=0), "channels and size >= 1"),
    (one_node("BatchNormalization", IMAGE, *STATISTICS[:3], -np.ones(4, np.float32)), "variance that is not positive"),
    (one_node("Cast", IMAGE, to=TensorProto.DOUBLE), "converts to double"),
    (one_node("Dropout", IMAGE, NUMBER, np.array(True)), "training mode"),
    (one_node("Det", IMAGE), "unsupported operators: Det"),
]


def test_every_operator_is_tried():
    """Those of com.microsoft and of ONNX-ML are compiled by the tests of their import functions."""
    assert {*RUNS, *ALWAYS} == set(SUPPORT) - {*MICROSOFT, *ML}


@pytest.mark.parametrize("kind", ALWAYS)
def test_what_takes_integers_or_makes_them_compiles(tmp_path, kind):
    for model in ALWAYS[kind]:
        assert compiler.compile(model, cores=8, out=tmp_path / "out").out.exists()


@pytest.mark.few(60)
@pytest.mark.parametrize(("kind", "model"), [(kind, model) for kind, models in RUNS.items() for model in models])
def test_what_is_supported_compiles(tmp_path, kind, model):
    assert compiler.compile(model, cores=8, out=tmp_path / "out").out.exists()


@pytest.mark.parametrize(("model", "words"), REFUSED)
def test_what_is_not_is_refused(tmp_path, model, words):
    with pytest.raises(CompileError, match=words):
        compiler.compile(model, cores=8, out=tmp_path / "out")
