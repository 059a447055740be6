"""The manifest says which element of the network each cell of a crossbar holds: it does, and none is left out."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from onnx_models import make_model, one_node, random_array

import compiler
from emu.arch import Arch, Core, Crossbar
from emu.image.cell_table import cells_of
from emu.image.cells import NOTHING, Cells
from emu.image.reader import Image, open_image
from emu.isa.dtypes import DType
from launch import zoo
from launch.zoo.quantised import quantised

SMALL = Arch(name="small", cores=32, core=Core(crossbars=256, local_memory=1 << 20), crossbar=Crossbar(16, 8))
Tensors = Mapping[str, np.ndarray]


def compiled(model: onnx.ModelProto, folder: Path, **options: object) -> Image:
    """The image of a model on small crossbars."""
    return open_image(compiler.compile(model, SMALL, out=folder / "out", **options).out)


def groups_of(image: Image) -> list[tuple[Cells, np.ndarray]]:
    """What is said of each array group, and what it holds [rows, columns]."""
    found: list[tuple[Cells, np.ndarray]] = []
    for core in image.cores:
        groups = image.program(core).groups
        cells = cells_of(image.manifest.crossbars, core, groups, "the image")
        weights = image.weights(core)
        found += [(c, w[:, : g.cols]) for c, w, g in zip(cells, weights, groups, strict=True)]
    return found


def check(image: Image, tensors: Tensors) -> None:
    """Every cell holds the element that is named, of `tensors`, and all their elements stand somewhere."""
    seen = {name: np.zeros(array.size, bool) for name, array in tensors.items()}
    groups = groups_of(image)
    assert groups
    for cells, held in groups:
        elements, flat = cells.elements(), tensors[cells.tensor].reshape(-1)
        assert cells.shape == tensors[cells.tensor].shape
        assert np.array_equal(np.where(elements == NOTHING, 0, flat[elements]), held)
        assert all(
            cells.element(row, column) == elements[row, column]
            for row in range(0, len(elements), 3)
            for column in range(elements.shape[1])
        )
        seen[cells.tensor][elements[elements != NOTHING]] = True
    assert all(found.all() for found in seen.values())


@st.composite
def float_products(draw: st.DrawFn) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """A network of one product with constant weights, and what stands on crossbars by the name of the tensor."""
    kind, size = draw(st.sampled_from(sorted(KINDS))), st.integers(1, 3)
    return KINDS[kind](draw, size)


def weights_of(*shape: int) -> np.ndarray:
    """Numbers that differ from each other and from 0."""
    return np.random.default_rng(0).permutation(np.arange(1, np.prod(shape) + 1)).astype(np.float32).reshape(shape)


def conv(draw, size):
    groups = draw(st.sampled_from((1, 1, 2, 5)))
    channels, filters = draw(st.integers(1, 7)), draw(st.integers(1, 5))
    kernel = draw(st.lists(size, min_size=1, max_size=3))
    if len(kernel) == 3:
        kernel[0] = 1
    w = weights_of(filters * groups, channels, *kernel)
    shape = (1, channels * groups, *(4 for _ in kernel))
    stride = [draw(st.integers(1, 2)) for _ in kernel]
    return one_node("Conv", shape, w, group=groups, strides=stride), {"w0": w}


def transposed_conv(draw, size):
    groups, stride = draw(st.sampled_from((1, 2, 3))), draw(st.integers(1, 2))
    channels, filters, kernel = draw(st.integers(1, 4)), draw(st.integers(1, 3)), [draw(size) + 1, draw(size) + 1]
    w = weights_of(channels * groups, filters, *kernel)
    return one_node("ConvTranspose", (1, channels * groups, 5, 5), w, group=groups, strides=[stride, stride]), {"w0": w}


def gemm(draw, size):
    rows, inner, columns = draw(size), draw(st.integers(1, 40)), draw(st.integers(1, 20))
    transposed, alpha = draw(st.booleans()), draw(st.sampled_from((1.0, 2.0)))
    w = weights_of(*((columns, inner) if transposed else (inner, columns)))
    return one_node("Gemm", (rows, inner), w, transB=int(transposed), alpha=alpha), {"w0": w * np.float32(alpha)}


def constant_on_the_left(draw, size):
    w = weights_of(draw(st.integers(1, 20)), draw(st.integers(1, 20)))
    node = helper.make_node("MatMul", ["w", "x"], ["y"], "product")
    return make_model([node], {"x": (w.shape[1], draw(size))}, weights={"w": w}), {"w": w}


def stack(draw, size):
    count, inner, columns = draw(size), draw(st.integers(1, 20)), draw(st.integers(1, 20))
    w = weights_of(count, inner, columns)
    return one_node("MatMul", (count, draw(size), inner), w), {"w0": w}


def flattened(draw, size):
    channels, height, width = draw(st.integers(1, 5)), draw(size), draw(size)
    w = weights_of(channels * height * width, draw(st.integers(1, 12)))
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Flatten", ["r"], ["f"])]
    nodes.append(helper.make_node("Gemm", ["f", "w"], ["y"], "product"))
    return make_model(nodes, {"x": (1, channels, height, width)}, weights={"w": w}), {"w": w}


def einsum(draw, size):
    equation = draw(st.sampled_from(("ab,bcd->acd", "ab,cbd->adc", "ab,cdb->acd")))
    sizes = {"a": draw(size), "b": draw(st.integers(1, 9)), "c": draw(size), "d": draw(size)}
    w = weights_of(*(sizes[label] for label in equation[3:6]))
    return one_node("Einsum", (sizes["a"], sizes["b"]), w, equation=equation), {"w0": w}


def recurrent(draw, size):
    kind, gates = draw(st.sampled_from((("LSTM", 4), ("GRU", 3), ("RNN", 1))))
    direction, count = draw(st.sampled_from((("forward", 1), ("bidirectional", 2))))
    hidden, features = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    w, r = weights_of(count, gates * hidden, features), weights_of(count, gates * hidden, hidden)
    shape = (draw(size), 1, features)
    model = one_node(kind, shape, w, r, hidden_size=hidden, direction=direction)
    return model, {"w0": w, "w1": r}


KINDS = {
    "conv": conv,
    "transposed_conv": transposed_conv,
    "gemm": gemm,
    "constant_on_the_left": constant_on_the_left,
    "stack": stack,
    "flattened": flattened,
    "einsum": einsum,
    "recurrent": recurrent,
}


@settings(max_examples=examples(10, 60))
@given(float_products(), st.sampled_from(("dense", "kernel")), st.sampled_from(("frugal", "pack")))
def test_floats(product: tuple[onnx.ModelProto, Tensors], packing: str, placement: str) -> None:
    model, tensors = product
    with tempfile.TemporaryDirectory() as folder:
        check(compiled(model, Path(folder), packing=packing, placement=placement), tensors)


@settings(max_examples=examples(10, 100))
@given(
    st.integers(1, 6),
    st.integers(1, 9),
    st.sampled_from((0, 3)),
    st.booleans(),
    st.sampled_from(("image", "rows:1")),
)
def test_integers_are_those_of_the_network_less_their_zero_point(
    channels: int, filters: int, zero: int, image: bool, granularity: str
) -> None:
    shape = (filters, channels, 2, 3) if image else (channels, filters)
    w = np.random.default_rng(1).integers(-100, 100, shape).astype(np.int8)
    x = (1, channels, 3, 4) if image else (2, channels)
    points = np.int8(0), np.asarray(zero, np.int8)
    model = one_node("ConvInteger" if image else "MatMulInteger", x, w, *points, dtype=TensorProto.INT8)
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.INT32
    with tempfile.TemporaryDirectory() as folder:
        check(compiled(model, Path(folder), granularity=granularity), {"w0": w.astype(np.int16) - zero})


def test_a_normalisation_scales_the_elements_that_are_named(tmp_path: Path) -> None:
    w, scale = weights_of(5, 3, 2, 2), np.array([1, 2, 4, 8, 16], np.float32)
    rest = [np.zeros(5, np.float32), np.zeros(5, np.float32), np.full(5, 1 - 2**-10, np.float32)]
    names = ["scale", "b", "mean", "var"]
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], "conv"),
        helper.make_node("BatchNormalization", ["c", *names], ["y"], "norm", epsilon=2.0**-10),
    ]
    weights = {"w": w, **dict(zip(names, [scale, *rest], strict=True))}
    image = compiled(make_model(nodes, {"x": (1, 3, 4, 4)}, weights=weights), tmp_path)
    check(image, {"w": w * scale.reshape(-1, 1, 1, 1)})
    assert {cells.node for cells, _ in groups_of(image)} == {"conv"}


@pytest.mark.parametrize("perm", [None, [1, 0]])
def test_constants_that_nodes_move_are_those_of_the_initialiser(perm: list[int] | None, tmp_path: Path) -> None:
    w, scale = np.random.default_rng(2).integers(-100, 100, (6, 4)).astype(np.int8), np.array(0.5, np.float32)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "scale"], ["d"]),
        helper.make_node("Transpose", ["d"], ["t"], **({"perm": perm} if perm else {})),
        helper.make_node("Reshape", ["t", "shape"], ["r"]),
        helper.make_node("Gemm", ["x", "r"], ["y"], "product"),
    ]
    weights = {"w": w, "scale": scale, "shape": np.array([8, 3])}
    check(compiled(make_model(nodes, {"x": (2, 8)}, weights=weights), tmp_path), {"w": w.astype(np.float32) / 2})


def test_constants_that_nodes_compute_have_the_name_of_the_result(tmp_path: Path) -> None:
    a, b = random_array(6, 4), random_array(6, 4, seed=1)
    nodes = [helper.make_node("Add", ["a", "b"], ["sum"]), helper.make_node("Gemm", ["x", "sum"], ["y"], "product")]
    check(compiled(make_model(nodes, {"x": (1, 6)}, weights={"a": a, "b": b}), tmp_path), {"sum": a + b})


def test_weights_that_the_compiler_makes_are_of_no_tensor(tmp_path: Path) -> None:
    scales = np.array([1, 1, 1.5, 1.5], np.float32)
    model = one_node("Resize", (1, 2, 4, 4), None, scales, mode="linear")
    found = groups_of(compiled(model, tmp_path))
    assert found and not any(cells.known for cells, _ in found)
    assert all(cells.node.startswith("the_node") for cells, _ in found)


@pytest.mark.parametrize("stage", ["onnx", "spat", "pim"])
def test_a_text_of_a_stage_keeps_it(stage: str, tmp_path: Path, emu_compile) -> None:
    onnx.save(zoo.build("lenet5"), tmp_path / "net.onnx")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    emu_compile(tmp_path / "net.onnx", "-o", whole)
    dump = tmp_path / "dump"  # with the weights
    dumped = emu_compile(tmp_path / "net.onnx", "--until", stage, "--dump", dump)
    (dump / "stage.mlir").write_text(dumped)
    emu_compile("--from", dump / "stage.mlir", "-o", parts)
    first, second = (open_image(out).manifest.crossbars for out in (whole, parts))
    assert first is not None and first == second and first.cores


@pytest.fixture
def emu_compile():
    """`emu compile` on 8 cores, without golden values."""
    from click.testing import CliRunner

    from launch.cli import cli

    def run(*arguments: object, code: int = 0) -> str:
        words = ["compile", *map(str, arguments), "--cores", "8"]
        words += [] if "--until" in words else ["--golden", "none"]
        result = CliRunner().invoke(cli, words)
        assert result.exit_code == code, result.output
        return result.output if code else result.stdout

    return run


@pytest.mark.parametrize("form", ["qoperator", "qdq"])
def test_quantised_networks(form: str, tmp_path: Path) -> None:
    model = quantised(zoo.build("lenet5"), form, 0)
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    matrices = {name: array for name, array in arrays.items() if array.dtype == np.int8 and array.ndim > 1}
    assert len(matrices) == 5
    image = compiled(model, tmp_path)
    kinds = {spec.weight for core in image.cores for spec in image.program(core).groups}
    assert kinds == {DType.i8}
    check(image, matrices)


@pytest.mark.parametrize(
    ("before", "after"), [('"0:5*4"', '"zz"'), ('"5,4", "0"', '"5,-4", "0"'), ('"5,4", "0"', '"5"')]
)
def test_a_text_with_damaged_origins_is_refused(before: str, after: str, tmp_path: Path, emu_compile) -> None:
    onnx.save(one_node("Gemm", (1, 5), random_array(5, 4)), tmp_path / "net.onnx")
    text = emu_compile(tmp_path / "net.onnx", "--until", "spat", "--dump", tmp_path)
    assert before in text
    (tmp_path / "stage.mlir").write_text(text.replace(before, after))
    result = emu_compile("--from", tmp_path / "stage.mlir", "-o", tmp_path / "out", code=2)
    assert result.count("\n") == 1 and "emu.origins of the module does not say where the weights" in result


def test_a_text_whose_origins_do_not_fit_leaves_them_out(tmp_path: Path, emu_compile) -> None:
    onnx.save(one_node("Gemm", (1, 5), random_array(5, 4)), tmp_path / "net.onnx")
    text = emu_compile(tmp_path / "net.onnx", "--until", "spat", "--dump", tmp_path)
    assert '"0:5*4"' in text
    (tmp_path / "stage.mlir").write_text(text.replace('"0:5*4"', '"0:7*4"'))
    emu_compile("--from", tmp_path / "stage.mlir", "-o", tmp_path / "out")
    ((cells, _),) = groups_of(open_image(tmp_path / "out"))
    assert not cells.known
