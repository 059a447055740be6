"""Golden integers are exact on every processor: what onnxruntime is handed multiplies uint8 alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from saturating import Session, operators

from compiler.evaluation import SOURCES, Refused
from compiler.evaluation.graphs import nodes
from compiler.evaluation.products import PRODUCTS, product_of, unsigned_products
from compiler.frontend.folding import Folder

KINDS = {"int8": np.int8, "uint8": np.uint8}
MICROSOFT = ("MatMulIntegerToFloat", "QGemm")
CONVOLUTIONS = ("ConvInteger", "QLinearConv")
SCALES = {name: np.float32(0.05) for name in ("a_scale", "b_scale", "y_scale")}
INPUTS = {
    "MatMulInteger": ("a", "b", "a_zero", "b_zero"),
    "ConvInteger": ("a", "b", "a_zero", "b_zero"),
    "QLinearMatMul": ("a", "a_scale", "a_zero", "b", "b_scale", "b_zero", "y_scale", "y_zero"),
    "QLinearConv": ("a", "a_scale", "a_zero", "b", "b_scale", "b_zero", "y_scale", "y_zero"),
    "MatMulIntegerToFloat": ("a", "b", "a_scale", "b_scale", "a_zero", "b_zero"),
    "QGemm": ("a", "a_scale", "a_zero", "b", "b_scale", "b_zero", "", "y_scale", "y_zero"),
}


def some(rng: np.random.Generator, kind: str, *shape: int) -> np.ndarray:
    """Mostly the largest and smallest, of which two products do not go into 16 bits."""
    limits = np.iinfo(KINDS[kind])
    ends = rng.choice(np.array([limits.min, limits.max], KINDS[kind]), shape)
    return np.where(rng.random(shape) < 0.7, ends, rng.integers(limits.min, limits.max, shape, KINDS[kind]))


def model_of(
    made: list[onnx.NodeProto], arrays: dict[str, np.ndarray], live: tuple[str, ...], outputs: tuple[str, ...] = ("y",)
) -> onnx.ModelProto:
    """Arrays that are `live` are inputs, others constants."""
    codes = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in arrays.items()}
    inputs = [helper.make_tensor_value_info(name, codes[name], arrays[name].shape) for name in live]
    constants = [numpy_helper.from_array(array, name) for name, array in arrays.items() if name not in live]
    ends = [helper.make_empty_tensor_value_info(name) for name in outputs]
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(helper.make_graph(made, "g", inputs, ends, constants), opset_imports=opsets, ir_version=10)


@st.composite
def products(draw: st.DrawFn) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """A model of one product: operands of any type, zero points of one or of each column, constant or not."""
    op, rng = draw(st.sampled_from(sorted(INPUTS))), np.random.default_rng(draw(st.integers(0, 10**6)))
    a, b = draw(st.sampled_from(sorted(KINDS))), draw(st.sampled_from(sorted(KINDS)))
    depth, width, each = draw(st.integers(1, 9)), draw(st.integers(1, 4)), draw(st.booleans())
    shapes = ([1, depth, 3, 3], [width, depth, 2, 2]) if op in CONVOLUTIONS else ([3, depth], [depth, width])
    columns = [width] if each and op not in CONVOLUTIONS else []
    arrays = {"a": some(rng, a, *shapes[0]), "b": some(rng, b, *shapes[1]), **SCALES}
    arrays |= {"a_zero": some(rng, a), "b_zero": some(rng, b, *columns), "y_zero": some(rng, a)}
    if columns:
        arrays["b_scale"] = rng.uniform(0.01, 0.1, columns).astype(np.float32)
    if op in ("MatMulInteger", "ConvInteger") and draw(st.booleans()):
        arrays |= {"a_zero": np.array(0, KINDS[a]), "b_zero": np.array(0, KINDS[b])}
        names = ("a", "b")
    else:
        names = INPUTS[op]
    arrays = {name: array for name, array in arrays.items() if name in names}
    live = ("a", *(name for name in ("b", "a_zero", "b_zero") if name in names and draw(st.booleans())))
    domain = "com.microsoft" if op in MICROSOFT else ""
    return model_of([helper.make_node(op, list(names), ["y"], "the product", domain=domain)], arrays, live), arrays


def evaluated(
    model: onnx.ModelProto, arrays: dict[str, np.ndarray], tensors: tuple[str, ...] = ("y",)
) -> list[np.ndarray]:
    """What the project's evaluator "onnxruntime" says."""
    feeds = {value.name: arrays[value.name] for value in model.graph.input}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.onnx"
        onnx.save(model, str(path))
        _, run = SOURCES["onnxruntime"](path, tensors, {name: array.shape for name, array in feeds.items()})
        return [np.asarray(value) for value in run(feeds)]


def exactly(model: onnx.ModelProto, arrays: dict[str, np.ndarray], saturates: bool = False) -> list[np.ndarray]:
    """What ONNX says, by NumPy; or what it would be if pairs of products with an int8 stayed in 16 bits."""
    feeds = {value.name: arrays[value.name] for value in model.graph.input}
    return ReferenceEvaluator(model, new_ops=operators(saturates)).run(None, feeds)


def of_uint8_alone(model: onnx.ModelProto) -> bool:
    """Whether every product of the model has operands of uint8, as ONNX infers types."""
    inferred = onnx.shape_inference.infer_shapes(model).graph
    kinds = {value.name: value.type.tensor_type.elem_type for value in (*inferred.value_info, *inferred.input)}
    kinds |= {tensor.name: tensor.data_type for tensor in inferred.initializer}
    pairs = [(node, pair) for node in nodes(model) if (found := product_of(node)) for pair in found.operands]
    return all(
        kinds[node.input[place]] == TensorProto.UINT8
        for node, pair in pairs
        for place in pair
        if place < len(node.input) and node.input[place]
    )


@contextmanager
def without_vnni() -> Iterator[None]:
    """onnxruntime on a processor without VNNI, whatever this one is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnxruntime, "InferenceSession", Session)
        yield


@pytest.fixture
def saturating() -> Iterator[None]:
    with without_vnni():
        yield


@given(products())
def test_products_are_exact_where_those_of_int8_saturate(drawn: tuple) -> None:
    model, arrays = drawn
    Session.handed.clear()
    with without_vnni():
        (found,), (wanted,) = evaluated(model, arrays), exactly(model, arrays)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)
    assert Session.handed and all(map(of_uint8_alone, Session.handed))


@given(products())
def test_products_are_exact_here(drawn: tuple) -> None:
    model, arrays = drawn
    (found,), (wanted,) = evaluated(model, arrays), exactly(model, arrays)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


LARGE = {"a": np.full((1, 4), 255, np.uint8), "b": np.full((4, 1), 127, np.int8)}


def test_sums_that_saturate_are_others_or_else_these_tests_show_nothing() -> None:
    model = model_of([helper.make_node("MatMulInteger", ["a", "b"], ["y"])], LARGE, ("a",))
    assert exactly(model, LARGE)[0].item() == 4 * 255 * 127
    assert exactly(model, LARGE, saturates=True)[0].item() == 2 * (2**15 - 1)
    assert not of_uint8_alone(model)


@pytest.mark.parametrize("tensors", [("m",), ("y", "q"), ("q", "m", "y")])
def test_inner_tensors_keep_their_names_and_types(saturating: None, tensors: tuple[str, ...]) -> None:
    arrays = {"a": np.full((2, 4), -128, np.int8), "b": np.full((4, 3), -128, np.int8), "zero": np.int8(-3), **SCALES}
    quantised = ["a", "a_scale", "zero", "b", "b_scale", "zero", "y_scale", "zero"]
    made = [
        helper.make_node("QLinearMatMul", quantised, ["q"]),
        helper.make_node("Transpose", ["q"], ["t"]),
        helper.make_node("MatMulInteger", ["q", "t", "zero"], ["m"]),
        helper.make_node("QLinearMatMul", ["t", "a_scale", "zero", *quantised[:2], "zero", *quantised[-2:]], ["y"]),
    ]
    whole = model_of(made, arrays, ("a",), ("q", "m", "y"))
    wanted = dict(zip(("q", "m", "y"), exactly(whole, arrays), strict=True))
    found = evaluated(model_of(made, arrays, ("a",)), arrays, tensors)
    for name, value in zip(tensors, found, strict=True):
        assert value.dtype == wanted[name].dtype
        np.testing.assert_array_equal(value, wanted[name])


def branch(name: str, *made: onnx.NodeProto) -> onnx.GraphProto:
    return helper.make_graph(list(made), name, [], [helper.make_empty_tensor_value_info(made[-1].output[0])])


def test_products_in_branches_and_functions_are_exact(saturating: None) -> None:
    then = branch("then", helper.make_node("MatMulInteger", ["a", "b"], ["then/y"]))
    otherwise = branch("else", helper.make_node("Cast", ["a"], ["else/y"], to=TensorProto.INT32))
    made = [
        helper.make_node("MatMulInteger", ["a", "b"], ["outer"]),
        helper.make_node("If", ["flag"], ["inner"], then_branch=then, else_branch=otherwise),
        helper.make_node("F", ["a", "b"], ["called"], domain="own"),
        helper.make_node("Concat", ["outer", "inner", "called"], ["y"], axis=1),
    ]
    arrays = LARGE | {"flag": np.array(True)}
    model = model_of(made, arrays, ("a", "b", "flag"))
    opsets = [helper.make_opsetid("", 21)]
    body = [helper.make_node("MatMulInteger", ["p", "q"], ["r"])]
    model.functions.append(helper.make_function("own", "F", ["p", "q"], ["r"], body, opsets))
    model.opset_import.append(helper.make_opsetid("own", 1))
    np.testing.assert_array_equal(evaluated(model, arrays)[0], [[4 * 255 * 127] * 3])


def test_names_that_are_taken_are_left_alone(saturating: None) -> None:
    made = [
        helper.make_node("Identity", ["a"], ["b/uint8"]),
        helper.make_node("MatMulInteger", ["b/uint8", "b"], ["y"]),
    ]
    assert evaluated(model_of(made, LARGE, ("a",)), LARGE)[0].item() == 4 * 255 * 127


def test_a_type_that_nobody_knows_is_refused_with_what_to_do() -> None:
    made = [
        helper.make_node("Strange", ["a"], ["s"], domain="own"),
        helper.make_node("MatMulInteger", ["s", "b"], ["y"], "m"),
    ]
    model = model_of(made, LARGE, ("a",))
    model.opset_import.append(helper.make_opsetid("own", 1))
    with pytest.raises(Refused, match=r"'s', an operand of MatMulInteger node 'm', cannot be inferred.*with reference"):
        evaluated(model, LARGE)


def test_the_name_of_the_evaluator_says_what_was_rewritten(tmp_path: Path) -> None:
    for kind, told in ((np.int8, True), (np.uint8, False)):
        arrays = {"a": LARGE["a"], "b": LARGE["b"].astype(kind)}
        path = tmp_path / f"{kind.__name__}.onnx"
        onnx.save(model_of([helper.make_node("MatMulInteger", ["a", "b"], ["y"])], arrays, ("a",)), str(path))
        name, _ = SOURCES["onnxruntime"](path, ("y",), {"a": (1, 4)})
        assert name.startswith(f"onnxruntime {onnxruntime.__version__}")
        assert ("8-bit products as uint8 x uint8" in name) == told


def test_constants_are_folded_exactly(saturating: None) -> None:
    node = helper.make_node("MatMulInteger", ["a", "b"], ["y"])
    (found,) = Folder("m", 0).fold(node, [LARGE["a"], LARGE["b"]], 21)
    assert found.item() == 4 * 255 * 127


def lstm(rng: np.random.Generator) -> tuple[onnx.NodeProto, dict[str, np.ndarray]]:
    arrays = {
        "x": rng.standard_normal((3, 1, 4)).astype(np.float32),
        "w": rng.integers(-64, 64, (1, 4, 20), np.int8),
        "r": rng.integers(-64, 64, (1, 5, 20), np.int8),
        "scale": np.full((1,), 0.02, np.float32),
        "zero": np.array([3], np.int8),
    }
    names = ["x", "w", "r", *[""] * 5, "scale", "zero", "scale", "zero"]
    return helper.make_node("DynamicQuantizeLSTM", names, ["y"], domain="com.microsoft", hidden_size=5), arrays


def attention(rng: np.random.Generator) -> tuple[onnx.NodeProto, dict[str, np.ndarray]]:
    arrays = {
        "x": rng.integers(0, 255, (1, 3, 4), np.uint8),
        "w": rng.integers(-64, 64, (4, 12), np.int8),
        "bias": rng.standard_normal(12).astype(np.float32),
        "scale": np.float32(0.02),
        "x_zero": np.uint8(100),
        "w_zero": np.int8(2),
    }
    names = ["x", "w", "bias", "scale", "scale", "", "x_zero", "w_zero"]
    return helper.make_node("QAttention", names, ["y"], domain="com.microsoft", num_heads=2), arrays


def dynamic(rng: np.random.Generator) -> tuple[onnx.NodeProto, dict[str, np.ndarray]]:
    arrays = {
        "x": rng.standard_normal((2, 7)).astype(np.float32),
        "w": rng.integers(-64, 64, (7, 3), np.int8),
        "scale": np.array([0.1, 0.2, 0.3], np.float32),
        "zero": np.array([1, -5, 9], np.int8),
    }
    return helper.make_node("DynamicQuantizeMatMul", ["x", "w", "scale", "zero"], ["y"], domain="com.microsoft"), arrays


@pytest.mark.parametrize("made", [lstm, attention, dynamic])
def test_other_products_are_the_same_as_uint8_where_nothing_saturates(made: Callable) -> None:
    node, arrays = made(np.random.default_rng(0))
    model = model_of([node], arrays, ("x",))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    (wanted,) = session.run(None, {"x": arrays["x"]})
    np.testing.assert_allclose(evaluated(model, arrays)[0], wanted, rtol=1e-5, atol=1e-6)
    rewritten, changed = unsigned_products(model)
    assert changed
    assert of_uint8_alone(rewritten)


def test_every_product_has_a_test() -> None:
    assert {*INPUTS, "DynamicQuantizeLSTM", "DynamicQuantizeMatMul", "QAttention"} == set(PRODUCTS)
