"""Products as the ONNX file has them: features times matrix is the node, groups are found in the matrix."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from emu.arch import Arch
from emu.arch.read import load_arch
from emu.image.manifest import Manifest, TensorOrigin
from launch.bisect.cells import locate, wrong_cells
from launch.bisect.network import OnnxNetwork
from launch.bisect.partial_sums import PartialSums
from launch.bisect.products import ConstantProduct, make_product
from launch.bisect.scene import Scene

RNG = np.random.default_rng(3)


class Plain:
    """Tensors stand as they are; `tiles` cuts their channels."""

    def __init__(self, tiles: list[tuple[int, int]] | None = None) -> None:
        self.tiles = tiles or []

    def places(self, name: str) -> None:
        """Nothing is known of the order."""

    def cuts(self, name: str) -> list[tuple[int, int]]:
        return self.tiles


def network(folder: Path, node: onnx.NodeProto, constants: dict[str, np.ndarray], shapes: dict[str, list[int]]):
    kinds = {"x": TensorProto.FLOAT} if "w" not in constants or constants["w"].dtype == np.float32 else {}
    entries = [helper.make_tensor_value_info(name, kinds.get(name, TensorProto.INT8), s) for name, s in shapes.items()]
    outputs = [helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)]
    stored = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph([node], "g", entries, outputs, stored)
    path = folder / "net.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    return OnnxNetwork(path, Manifest(Arch(), (), (), (), 0, tensors=(TensorOrigin("y", node.name),)))


def product_of(net: OnnxNetwork, x: np.ndarray, layout: Plain | None = None) -> ConstantProduct:
    made = make_product(net, "y", {"x": x}, layout or Plain())
    assert made is not None
    return made


@given(st.integers(1, 3), st.integers(1, 2), st.integers(1, 2), st.integers(0, 1), st.sampled_from(["SAME_UPPER", ""]))
def test_a_convolution_is_features_times_matrix(kernel: int, stride: int, dilation: int, pad: int, auto: str) -> None:
    x = RNG.standard_normal((1, 4, 7, 6)).astype(np.float32)
    w = RNG.standard_normal((3, 4, kernel, kernel)).astype(np.float32)
    more = {"auto_pad": auto} if auto else {"pads": [pad] * 4}
    dilation = 1 if auto else dilation
    node = helper.make_node(
        "Conv", ["x", "w"], ["y"], name="conv", strides=[stride] * 2, dilations=[dilation] * 2, **more
    )
    with TemporaryDirectory() as folder:
        net = network(Path(folder), node, {"w": w}, {"x": list(x.shape)})
        want = ReferenceEvaluator(onnx.load(net.path)).run(None, {"x": x})[0]
        for layout in (Plain(), Plain([(0, 2), (2, 4)])):
            made = product_of(net, x, layout)
            got = made.features @ made.matrix
            assert np.allclose(got, want[0].transpose(1, 2, 0).reshape(got.shape), atol=1e-4)


@pytest.mark.parametrize(("operator", "turned"), [("MatMul", 0), ("Gemm", 0), ("Gemm", 1)])
def test_products_of_rows(tmp_path: Path, operator: str, turned: int) -> None:
    x, w = RNG.standard_normal((5, 8)).astype(np.float32), RNG.standard_normal((8, 3)).astype(np.float32)
    more = {"transB": turned} if operator == "Gemm" else {}
    node = helper.make_node(operator, ["x", "w"], ["y"], name="product", **more)
    net = network(tmp_path, node, {"w": w.T.copy() if turned else w}, {"x": [5, 8]})
    made = product_of(net, x)
    assert np.allclose(made.features @ made.matrix, x @ w, atol=1e-5)


def test_sums_of_integers_have_zero_points_and_bias(tmp_path: Path) -> None:
    x = RNG.integers(-128, 127, (1, 2, 5, 5), np.int8)
    w = RNG.integers(-127, 127, (3, 2, 3, 3), np.int8)
    one, zero, bias = np.float32(1), np.int8(-7), RNG.integers(-99, 99, 3, np.int32)
    constants = {"s": np.array(one), "z": np.array(zero), "w": w, "wz": np.zeros(1, np.int8), "b": bias}
    names = ["x", "s", "z", "w", "s", "wz", "s", "z", "b"]
    node = helper.make_node("QLinearConv", names, ["y"], name="conv", pads=[1] * 4)
    made = product_of(network(tmp_path, node, constants, {"x": list(x.shape)}), x)
    assert made.constant is not None
    got = made.features.astype(np.int64) @ made.matrix.astype(np.int64) + made.constant
    padded = np.pad(x.astype(np.int64) + 7, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[0]
    want = np.einsum("chwij,ocij->hwo", windows, w.astype(np.int64)) + bias
    assert np.array_equal(got, want.reshape(-1, 3))


@pytest.mark.parametrize("scaled", [False, True])
def test_groups_are_found_in_the_matrix_and_their_wrong_cells(scaled: bool) -> None:
    arch = load_arch("tiny")
    matrix = RNG.standard_normal((64, 48)).astype(np.float32)
    factors = RNG.uniform(0.5, 2, 16).astype(np.float32) if scaled else np.ones(16, np.float32)
    weights = matrix[32:48, 16:32] * factors
    block = locate(weights, matrix, arch)
    assert block is not None and (block.rows[0], block.column) == (32, 16)
    assert not len(wrong_cells(weights, block))
    weights[5, 9] += 1
    block = locate(weights, matrix, arch)
    assert block is not None and wrong_cells(weights, block).tolist() == [[5, 9]]


def test_other_weights_are_not_found() -> None:
    matrix, other = (RNG.standard_normal((64, 48)).astype(np.float32) for _ in range(2))
    assert locate(other[:16, :16], matrix, load_arch("tiny")) is None


def test_partial_sums_of_all_cores_are_known(scene: Scene) -> None:
    sums = PartialSums(scene)
    sums.learn({"node_Conv_38"})
    assert {core for core, _ in sums.known_cores} == set(range(1, 19))
    assert not sums.cells
    for (_, dst), messages in scene.recording.messages.items():
        if dst in (1, 11):
            for message in messages:
                assert scene.knowledge.find(np.frombuffer(message.data, np.uint8)) is not None


def test_weights_behind_what_exporters_put_there_are_constants(tmp_path: Path) -> None:
    weights = RNG.standard_normal((3, 4)).astype(np.float32)
    nodes = [
        helper.make_node("Identity", ["w"], ["same"]),
        helper.make_node("Transpose", ["same"], ["turned"], perm=[1, 0]),
        helper.make_node("Reshape", ["turned", "shape"], ["flat"]),
        helper.make_node("Reshape", ["turned", "x"], ["odd"]),
        helper.make_node("Reshape", ["turned", "wrong"], ["refused"]),
        helper.make_node("Neg", ["w"], ["other"]),
    ]
    arrays = {"w": weights, "shape": np.array([2, 6]), "wrong": np.array([5])}
    stored = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.INT64, [1])], [], stored)
    path = tmp_path / "net.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    net = OnnxNetwork(path, Manifest(Arch(), (), (), (), 0))
    flat = net.constant("flat")
    assert flat is not None and np.array_equal(flat, weights.T.reshape(2, 6))
    assert all(net.constant(name) is None for name in ("odd", "refused", "other", "x"))
