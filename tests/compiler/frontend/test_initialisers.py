"""Weights are read in every form in which files hold them: listed as inputs or not, as numbers, sparse, as nodes."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_export import evaluate_module, run_onnx
from onnx_models import make_model, one_node, random_array

from compiler.frontend.importer import import_model
from compiler.frontend.model import load_model
from compiler.session.context import make_context
from emu.errors import CompileError

WEIGHTS = random_array(64, 32)
X = random_array(1, 64, seed=1)
EXPECTED = run_onnx(one_node("MatMul", (1, 64), WEIGHTS), {"x": X})[0]
NODE = helper.make_node


def check_product(model, expected: np.ndarray = EXPECTED) -> None:
    """The model has the one input x, and computes x @ WEIGHTS."""
    context = make_context()
    imported = import_model(model, context)
    assert [entry.name for entry in imported.inputs] == ["x"]
    np.testing.assert_array_equal(evaluate_module(imported.module, context, {"x": X})[0], expected)


@pytest.mark.parametrize("ir_version", [3, 4, 8, 10])
@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("large", [False, True])
def test_initialisers_that_inputs_list_or_not(ir_version, listed, large):
    columns = 32 if large else 2
    model = one_node("MatMul", (1, 64), WEIGHTS[:, :columns], opset=8)
    model.ir_version = ir_version
    if listed:
        model.graph.input.insert(0, helper.make_tensor_value_info("w0", TensorProto.FLOAT, (64, columns)))
    check_product(model, run_onnx(one_node("MatMul", (1, 64), WEIGHTS[:, :columns]), {"x": X})[0])


def test_floats_as_numbers_are_views_too():
    model = make_model([NODE("MatMul", ["x", "w"], ["y"])], {"x": (1, 64)})
    model.graph.initializer.append(helper.make_tensor("w", TensorProto.FLOAT, WEIGHTS.shape, WEIGHTS.ravel()))
    check_product(model)
    assert not load_model(model).arrays["w"].flags.owndata


def test_integers_as_numbers_are_not_taken_for_their_bytes():
    indices = np.arange(5000, dtype=np.int32)
    nodes = [NODE("Cast", ["w"], ["f"], to=TensorProto.FLOAT), NODE("Add", ["x", "f"], ["y"])]
    model = make_model(nodes, {"x": (1, 5000)})
    model.graph.initializer.append(helper.make_tensor("w", TensorProto.INT32, indices.shape, indices))
    np.testing.assert_array_equal(load_model(model).arrays["w"], indices)


def test_elements_that_are_given_twice():
    model = one_node("MatMul", (1, 64), WEIGHTS)
    model.graph.initializer[0].float_data.extend(WEIGHTS.ravel().tolist())
    with pytest.raises(CompileError, match="holds its elements twice"):
        import_model(model, make_context())


@pytest.mark.parametrize("raw", [False, True])
def test_large_constant_nodes_are_views(raw):
    tensor = helper.make_tensor("any", TensorProto.FLOAT, WEIGHTS.shape, WEIGHTS.tobytes() if raw else WEIGHTS, raw)
    model = make_model([NODE("Constant", [], ["w"], value=tensor), NODE("MatMul", ["x", "w"], ["y"])], {"x": (1, 64)})
    check_product(model)
    loaded = load_model(model)
    assert not loaded.arrays["w"].flags.owndata
    assert loaded.proto.ByteSize() < 1000


def test_large_tensors_of_other_nodes_stay():
    tensor = numpy_helper.from_array(WEIGHTS)
    model = make_model([NODE("Constant", ["x"], ["w"], domain="other", value=tensor)], {"x": (1, 64)}, ["w"])
    with pytest.raises(CompileError, match=r"unsupported operators: other\.Constant"):
        import_model(model, make_context())


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("node", [False, True])
def test_sparse_tensors(linear, node):
    weights = np.where(np.abs(WEIGHTS) > 1, WEIGHTS, 0).astype(np.float32)
    places = np.argwhere(weights)
    values = numpy_helper.from_array(weights[weights != 0], "w")
    flat = np.ravel_multi_index(tuple(places.T), weights.shape)
    sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(flat if linear else places), weights.shape)
    nodes = [NODE("Constant", [], ["w"], sparse_value=sparse)] if node else []
    model = make_model([*nodes, NODE("MatMul", ["x", "w"], ["y"])], {"x": (1, 64)})
    if not node:
        model.graph.sparse_initializer.append(sparse)
    check_product(model, run_onnx(one_node("MatMul", (1, 64), weights), {"x": X})[0])


@pytest.mark.parametrize(
    ("dims", "places", "message"),
    [
        ([64, 32], [0, 2048], "beyond its shape"),
        ([64, 32], [-1, 0], "beyond its shape"),
        ([64, 32], [[0, 32], [0, 0]], "beyond its shape"),
        ([64, 32], [0], "beyond its shape"),
        ([1 << 20, 1 << 20], [0, 1], "is too large"),
        ([], [0, 1], "has no shape"),
    ],
)
def test_sparse_tensors_that_cannot_be(dims, places, message):
    model = make_model([NODE("MatMul", ["x", "w"], ["y"])], {"x": (1, 64)})
    values = numpy_helper.from_array(np.ones(2, np.float32), "w")
    model.graph.sparse_initializer.append(
        helper.make_sparse_tensor(values, numpy_helper.from_array(np.array(places)), dims)
    )
    with pytest.raises(CompileError, match=f"sparse tensor 'w' .*{message}"):
        import_model(model, make_context())


def test_files_that_name_no_operator_set_are_of_the_first():
    model = one_node("Relu", (1, 4))
    model.ir_version = 2
    del model.opset_import[:]
    assert load_model(model).proto.opset_import[0].version == 1
    model.ir_version = 3
    with pytest.raises(CompileError):
        import_model(model, make_context())


def test_constants_that_a_shape_and_a_number_describe():
    """As large as the weights of real networks, and a view that takes no memory."""
    nodes = [NODE("ConstantOfShape", ["s"], ["w"], value=numpy_helper.from_array(np.array([0.5], np.float32)))]
    nodes += [NODE("MatMul", ["x", "w"], ["y"])]
    context = make_context()
    import_model(make_model(nodes, {"x": (1, 1 << 14)}, weights={"s": np.array([1 << 14, 1 << 13])}), context)
    array = context.weights.get("w")
    assert (array.shape, array.dtype, set(array.strides)) == ((1 << 14, 1 << 13), np.float32, {0})
    assert array[5, 7] == 0.5


@pytest.mark.parametrize(
    ("shape", "value", "message"),
    [
        ([1 << 15, 1 << 14], None, "which is too large to be meant"),
        ([4, -1], None, "sizes, are needed"),
        ([2] * 70, None, "sizes, are needed"),
        ([4], [1.0, 2.0], "2 values: one value"),
    ],
)
def test_described_constants_that_cannot_be(shape, value, message):
    attributes = {} if value is None else {"value": numpy_helper.from_array(np.array(value, np.float32))}
    nodes = [NODE("ConstantOfShape", ["s"], ["w"], "maker", **attributes), NODE("Add", ["x", "w"], ["y"])]
    model = make_model(nodes, {"x": (1, 4)}, weights={"s": np.array(shape)})
    with pytest.raises(CompileError, match=rf"node 'maker' \(ConstantOfShape\) .*{message}"):
        import_model(model, make_context())


def test_described_constants_have_a_budget_in_all(monkeypatch):
    monkeypatch.setattr("compiler.frontend.folding.MAX_DESCRIBED", 4 * 30)
    nodes = [NODE("ConstantOfShape", ["s"], [f"w{k}"], f"maker{k}") for k in range(4)]
    nodes += [NODE("Sum", ["x", "w0", "w1", "w2", "w3"], ["y"])]
    model = make_model(nodes, {"x": (1, 10)}, weights={"s": np.array([1, 10])})
    with pytest.raises(CompileError, match=r"node 'maker3' \(ConstantOfShape\) would make"):
        import_model(model, make_context())


def test_a_file_of_weights_beyond_2_gib_is_not_copied(tmp_path):
    """3 GiB that the file system keeps as holes: views of one mapping, whatever their size."""
    rows = 1 << 14
    names = [f"w{index}" for index in range(3)]
    nodes = [NODE("MatMul", [f"v{k}" if k else "x", name], [f"v{k + 1}"]) for k, name in enumerate(names)]
    model = make_model(nodes, {"x": (1, rows)}, ["v3"])
    size = 4 * rows * rows
    for index, name in enumerate(names):
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[rows, rows])
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in {"location": "weights.bin", "offset": index * size, "length": size}.items():
            tensor.external_data.add(key=key, value=str(value))
        model.graph.initializer.append(tensor)
    with (tmp_path / "weights.bin").open("wb") as file:
        file.truncate(3 * size)
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    loaded = load_model(path)
    arrays = [loaded.arrays[name] for name in names]
    assert all(not array.flags.owndata and array.nbytes == size for array in arrays)
    begins = [array.__array_interface__["data"][0] for array in arrays]
    assert np.diff(begins).tolist() == [size, size]
    assert loaded.proto.ByteSize() < 1000
