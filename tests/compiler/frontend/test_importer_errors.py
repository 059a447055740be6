"""What cannot be imported is refused with one sentence that names the place and what to do."""

import pickle
import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper
from onnx_models import make_model, one_node, random_array

from compiler.frontend import importer
from compiler.frontend.importer import import_model
from compiler.session.context import make_context
from emu.errors import CompileError


def refusal(model, shapes=None) -> str:
    with pytest.raises(CompileError) as caught:
        import_model(model, make_context(), shapes or {})
    text = str(caught.value)
    assert "\n" not in text and len(text) < 1000
    return text


def conv_model(**attributes: object) -> onnx.ModelProto:
    return one_node("Conv", (1, 3, 8, 8), random_array(4, 3, 3, 3), **attributes)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 100, b"not a model at all, just text", pickle.dumps({"weights": [1.0] * 50}), b"PK\x03\x04" * 40],
    ids=["empty", "zeros", "text", "pickle", "zip"],
)
def test_files_of_other_kinds(tmp_path, content):
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    assert re.search(r"model\.onnx is not an ONNX model, or is truncated", refusal(path))


def test_missing_file_and_folder(tmp_path):
    assert "none.onnx does not exist" in refusal(tmp_path / "none.onnx")
    assert "is a directory: only regular files are read" in refusal(tmp_path)


@given(st.floats(0, 0.999))
@settings(max_examples=40)
def test_truncated_files_are_refused(tmp_path_factory, part):
    data = one_node("MatMul", (1, 64), random_array(64, 32)).SerializeToString()
    path = tmp_path_factory.mktemp("cut") / "model.onnx"
    path.write_bytes(data[: int(part * len(data))])
    refusal(path)


@given(st.data())
@settings(max_examples=60)
def test_damaged_files_are_refused_or_still_models(tmp_path_factory, data):
    """Whatever bytes change, only a CompileError may come out."""
    content = bytearray(one_node("Conv", (1, 2, 5, 5), random_array(3, 2, 3, 3), strides=[2, 2]).SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damaged") / "model.onnx"
    path.write_bytes(bytes(content))
    try:
        module = import_model(path, make_context()).module
    except CompileError:
        return
    module.verify()


def test_dynamic_shapes_name_input_and_option():
    text = refusal(one_node("Relu", ("batch", 3, None, None)))
    assert "input 'x' is [batch, 3, ?, ?]" in text and "shapes={'x': (1, 3, 224, 224)}" in text
    assert "shapes={'x': (1, 3, 224, 224)}" in refusal(one_node("Relu", None))


def test_given_shapes_are_checked():
    model = one_node("Relu", ("n", 3))
    assert "has 3 dimensions, but the input has 2" in refusal(model, {"x": (1, 3, 3)})
    assert "has no input 'z'; its inputs are x" in refusal(model, {"z": (1, 3)})
    assert "impossible shape -1 x 3" in refusal(model, {"x": (-1, 3)})
    assert "impossible shape" in refusal(model, {"x": (1, 1 << 40)})


def test_a_batch_can_be_overridden():
    assert import_model(one_node("Relu", (8, 3)), make_context(), {"x": (1, 3)}).outputs[0].shape == (1, 3)


def test_all_unsupported_operators_at_once():
    nodes = [
        helper.make_node("Det", ["x"], ["a"], "first"),
        helper.make_node("Det", ["a"], ["b"], "second"),
        helper.make_node("Relu", ["b"], ["c"], "fine"),
        helper.make_node("Magic", ["c"], ["y"], "spell", domain="com.example"),
    ]
    model = make_model(nodes, {"x": (1, 3)})
    model.opset_import.append(helper.make_opsetid("com.example", 1))
    text = refusal(model)
    assert "Det ('first', 'second'), com.example.Magic ('spell')" in text
    assert "fine" not in text
    assert text.endswith("lists those that are supported, host_fallback=True leaves the others to the host")


def test_random_operators_are_not_folded():
    node = helper.make_node("RandomNormal", [], ["y"], "dice", shape=[1, 3])
    assert "node 'dice' (RandomNormal) draws random numbers" in refusal(make_model([node], {}))


def test_undefined_values():
    text = refusal(make_model([helper.make_node("Add", ["x", "lost"], ["y"], "sum")], {"x": (1, 3)}))
    assert "node 'sum' (Add) uses 'lost', which is neither an initialiser" in text
    assert "output 'z' is computed by no node" in refusal(
        make_model([helper.make_node("Relu", ["x"], ["y"])], {"x": (1, 3)}, ["z"])
    )


@pytest.mark.parametrize("opset", [-1, 0, 1000])
def test_operator_sets(opset):
    assert f"uses operator set {opset}; supported are 1 to" in refusal(one_node("Relu", (1, 3), opset=opset))


@pytest.mark.parametrize(
    ("code", "name", "instead"),
    [
        (TensorProto.DOUBLE, "double", "convert the model to float32"),
        (TensorProto.BFLOAT16, "bfloat16", "convert the model to float32"),
        (TensorProto.UINT64, "uint64", "use int64"),
        (TensorProto.STRING, "string", "turn texts into numbers"),
        (TensorProto.COMPLEX64, "complex64", "use a tensor of real"),
    ],
)
def test_inputs_of_types_that_the_machine_does_not_have(code, name, instead):
    text = refusal(one_node("Identity", (1, 3), dtype=code))
    assert f"input 'x' is {name}, a type that the machine does not have: {instead}" in text


def test_inputs_that_are_no_tensors():
    model = make_model([helper.make_node("SequenceAt", ["x", "i"], ["y"])], {}, weights={"i": np.array(0)})
    model.graph.input.append(helper.make_tensor_sequence_value_info("x", TensorProto.FLOAT, [3]))
    assert "node 'y' (SequenceAt) works on sequences or optional values" in refusal(model)
    model.graph.node[0].CopyFrom(helper.make_node("Identity", ["x"], ["y"]))
    assert "input 'x' is a sequence, which the machine does not have: export the model with tensors" in refusal(model)


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (helper.make_node("NonZero", ["x"], ["y"], "n"), "shape depends on values, but all shapes must be known"),
        (
            helper.make_node("Bernoulli", ["x"], ["y"], "n"),
            "draws random numbers, which no run could repeat: pass them",
        ),
        (helper.make_node("SplitToSequence", ["x"], ["y"], "n"), "works on sequences"),
    ],
)
def test_nodes_that_no_core_could_do(node, words):
    text = refusal(make_model([node], {"x": (1, 3)}))
    assert text.startswith(f"model 'test': node 'n' ({node.op_type}) ") and words in text


def test_weight_types():
    text = refusal(one_node("MatMul", (1, 64), random_array(64, 32).astype(np.float64)))
    assert "double" in text or "float64" in text


def test_damaged_initialisers():
    model = one_node("MatMul", (1, 64), random_array(64, 32))
    model.graph.initializer[0].dims[0] = 1 << 40
    assert "initialiser 'w0'" in (text := refusal(model)) and "8192 bytes of data: the file is damaged" in text
    small = one_node("MatMul", (1, 4), random_array(4, 2))
    small.graph.initializer[0].dims[0] = 1 << 40
    assert "tensor 'w0' of shape [1099511627776, 2]" in refusal(small)
    assert "two initialisers" in refusal(_doubled(small))


def _doubled(model: onnx.ModelProto) -> onnx.ModelProto:
    del model.graph.initializer[0].dims[:]
    model.graph.initializer[0].dims.extend([4, 2])
    model.graph.initializer.append(model.graph.initializer[0])
    return model


def test_hostile_constants_are_not_allocated():
    nodes = [
        helper.make_node("ConstantOfShape", ["s"], ["c"], "bomb"),
        helper.make_node("ReduceMean", ["c"], ["m"]),
        helper.make_node("Add", ["x", "m"], ["y"]),
    ]
    model = make_model(nodes, {"x": (1, 3)}, weights={"s": np.array([1 << 20, 1 << 20])})
    assert "node 'bomb' (ConstantOfShape) would make a constant of shape" in refusal(model)


def test_dynamic_weights_name_the_operand():
    nodes = [helper.make_node("Relu", ["v"], ["w"]), helper.make_node("Conv", ["x", "w"], ["y"], "c")]
    text = refusal(make_model(nodes, {"x": (1, 3, 8, 8), "v": (1, 3, 3, 3)}))
    assert "node 'c' (Conv) computes its weights ('w') at run time" in text


@pytest.mark.parametrize("filters", [1, 12, "n"])
def test_weights_without_values_are_told_as_weights(filters):
    """Whatever their shape says: it is no batch."""
    nodes = [helper.make_node("Conv", ["x", "w"], ["y"], "c")]
    text = refusal(make_model(nodes, {"x": (1, 3, 8, 8), "w": (filters, 3, 3, 3)}))
    assert "input 'w' holds weights of node 'c' (Conv)" in text and "as initialisers" in text and "batch" not in text


@pytest.mark.parametrize(
    ("dims", "shape"), [(("batch", 3, 8, 8), (1, 3, 8, 8)), ((None, 10), (1, 10)), (("n", 4, 2), (1, 4, 2))]
)
def test_a_batch_that_alone_is_dynamic_is_one(dims, shape):
    context = make_context()
    imported = import_model(one_node("Relu", dims), context)
    assert imported.inputs[0].shape == imported.outputs[0].shape == shape
    (warning,) = context.warnings
    assert "input 'x' is [" in warning and f"shapes={{'x': {shape}}}" in warning
    given = make_context()
    import_model(one_node("Relu", dims), given, {"x": shape})
    assert given.warnings == []


@pytest.mark.parametrize("dims", [("n",), ("n", 3, "h", 8), (1, "c", 8, 8), ("a", "b")])
def test_other_dynamic_dimensions_are_asked_for(dims):
    assert "give its shape as in shapes={'x': " in refusal(one_node("Relu", dims))


@pytest.mark.parametrize("opset", [6, 13])
@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ((np.nan, 1), "has the min nan"),
        ((0, np.nan), "has the max nan"),
        ((np.inf, np.inf), "has the min inf"),
        ((0, -np.inf), "has the max -inf"),
    ],
)
def test_bounds_that_leave_no_number(opset, bounds, words):
    if opset < 11:
        model = one_node("Clip", (1, 3), opset=opset, min=float(bounds[0]), max=float(bounds[1]))
    else:
        model = one_node("Clip", (1, 3), *map(np.float32, bounds), opset=opset)
    assert f"node 'the_node' (Clip) {words}" in refusal(model)


def test_shapes_are_doubtful_only_downstream_of_a_difference_in_ceil_mode(monkeypatch):
    """ONNX infers a last window in the padding alone for one branch: the other branch stays checked."""
    pool = {"kernel_shape": [1, 1], "strides": [2, 2], "pads": [0, 0, 1, 1], "ceil_mode": 1}
    nodes = [
        helper.make_node("MaxPool", ["x"], ["a"], "pool", **pool),
        helper.make_node("Relu", ["a"], ["b"], "downstream"),
        helper.make_node("Relu", ["x"], ["c"], "beside"),
    ]
    model, infer = make_model(nodes, {"x": (1, 3, 4, 4)}, ["b", "c"]), importer.infer_shapes

    def wrong(*names):
        return lambda *arguments: infer(*arguments) | dict.fromkeys(names, (1, 3, 9, 9))

    monkeypatch.setattr(importer, "infer_shapes", wrong("a", "b"))
    assert import_model(model, make_context()).outputs[1].shape == (1, 3, 4, 4)
    monkeypatch.setattr(importer, "infer_shapes", wrong("a", "b", "c"))
    assert "node 'beside' (Relu) has output shape [1, 3, 4, 4] by its attributes, but ONNX" in refusal(model)


def two_parts(size: int, *sizes: np.ndarray) -> onnx.ModelProto:
    node = helper.make_node("Split", ["x", *(["s"] if sizes else [])], ["y", "z"], "the_node", axis=0)
    return make_model([node], {"x": (size,)}, ["y", "z"], {"s": sizes[0]} if sizes else {})


X4 = (1, 3, 8, 8)
BATCHNORM = [np.ones(3, np.float32)] * 4


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (one_node("Conv", X4, random_array(4, 2, 3, 3)), "which do not fit input"),
        (conv_model(pads=[-1, 0, 0, 0]), "out of range"),
        (conv_model(strides=[0, 1]), "out of range"),
        (conv_model(kernel_shape=[5, 5]), "kernel_shape that is not that of its weights"),
        (conv_model(auto_pad="SOMEHOW"), "auto_pad 'SOMEHOW'"),
        (one_node("Conv", (1, 3), random_array(4, 3)), "no dimension beside samples and channels"),
        (one_node("Conv", (1, 3, 8), random_array(4, 3, 3, 3)), "which do not fit input"),
        (one_node("Conv", (1, 3, 2, 2), random_array(4, 3, 3, 3)), "it is empty"),
        (one_node("Conv", X4, random_array(4, 3, 3, 3), random_array(5)), "bias of shape"),
        (one_node("GlobalMaxPool", (1, 3)), "no dimension beside samples and channels"),
        (one_node("MaxPool", (1, 3, 8), kernel_shape=[2, 2]), "has kernel"),
        (one_node("ConvTranspose", X4, random_array(4, 3, 3, 3)), "which do not fit input"),
        (one_node("ConvTranspose", X4, random_array(3, 4, 3, 3), random_array(3)), "bias of shape"),
        (one_node("ConvTranspose", X4, random_array(3, 4, 3, 3), output_padding=[-1, 0]), "in output_padding and"),
        (one_node("ConvTranspose", X4, random_array(3, 4, 3, 3), auto_pad="SOMEHOW"), "auto_pad 'SOMEHOW'"),
        (one_node("ConvTranspose", X4, random_array(3, 4, 3, 3), pads=[9] * 4), "it is empty"),
        (one_node("MaxPool", X4, kernel_shape=[2, 2], strides=[2]), "as many dimensions in kernel_shape"),
        (one_node("BatchNormalization", X4, *BATCHNORM, training_mode=1), "is in training mode"),
        (one_node("BatchNormalization", X4, *BATCHNORM, opset=7, spatial=0), "spatial = 0|not one number per channel"),
        (one_node("Dropout", X4, np.float32(0.5), np.array(True)), "is in training mode"),
        (one_node("LRN", (3,), size=3), "channels and size >= 1"),
        (one_node("Clip", X4, random_array(3)), "must be one number"),
        (one_node("Reshape", X4, np.array([1, 7])), "cannot turn shape"),
        (one_node("Reshape", X4, np.array([0, 0, 0, 0, 0])), "keeps a dimension"),
        (one_node("Reshape", (0, 3), np.array([0, -1])), "cannot turn shape"),
        (one_node("Reshape", (2, 3), np.array([0, 6]), allowzero=1), "cannot turn shape"),
        (one_node("MaxPool", (1, 3, 0, 8), kernel_shape=[2, 2]), "it is empty"),
        (one_node("Flatten", ()), "has axis 1, but its operand has 0 dimensions"),
        (one_node("Split", X4, np.array([2, 2]), axis=1), r"cannot cut axis 1 of shape .* into 1 parts of \[2, 2\]"),
        (one_node("Split", X4, np.array([2]), axis=1), r"cannot cut axis 1 of shape .* into 1 parts of \[2\]"),
        (two_parts(7), r"cannot cut axis 0 of shape \[7\] into 2 parts of \[3, 3\]"),
        (two_parts(7, np.array([8, -1])), r"into 2 parts of \[8, -1\]"),
        (one_node("Split", (), axis=0), "has axis 0, but its operand has 0 dimensions"),
        (one_node("Squeeze", X4, np.array([1])), "not all of size 1"),
        (one_node("Transpose", X4, perm=[0, 0, 1, 2]), "no permutation"),
        (one_node("Flatten", X4, axis=9), "has axis 9"),
        (one_node("Softmax", X4, axis=9), "has axis 9"),
        (one_node("Add", X4, random_array(7)), "do not broadcast"),
        (one_node("Add", X4, random_array(8, 8), opset=6, broadcast=1, axis=3), "from axis 3: it does not fit"),
        (one_node("Concat", X4, random_array(1, 3, 7, 8), axis=1), "do not fit"),
        (one_node("Gemm", (1, 3), random_array(4, 5)), "3 is not 4"),
        (one_node("MatMul", (1, 3), random_array(4, 5)), "not matrices that fit"),
        (one_node("Relu", X4, no_such_attribute=1), "is not valid ONNX: Unrecognized attribute"),
    ],
)
def test_nodes_that_cannot_be(model, message):
    text = refusal(model)
    assert re.search(message, text)
    assert "'the_node'" in text or "not valid ONNX" in text


def test_names_cannot_break_the_line():
    text = refusal(one_node("Det", (3, 3), name="two\nlines \x1b[31m"))
    assert "Det ('two lines ?[31m')" in text


def test_errors_name_the_file(tmp_path):
    path = Path(tmp_path / "net.onnx")
    path.write_bytes(one_node("Det", (3, 3)).SerializeToString())
    assert refusal(path).startswith(f"{path} has unsupported operators: Det ('the_node')")
