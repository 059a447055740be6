"""Products between DequantizeLinear and QuantizeLinear run as integers where they can, and as floats elsewhere."""

import numpy as np
import pytest
from draws import examples
from exact_sessions import exact_session
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import compile_in_memory, run_in_process
from onnx import TensorProto, helper
from quantised_models import KINDS, SMALL, bytes_of, model_of

from emu.isa.dtypes import DType

SHAPES = {  # operator: shapes of x and of weights, the axis of filters or columns, attributes
    "Conv": ((1, 4, 6, 5), (7, 4, 3, 2), 0, {"pads": [1, 0, 1, 1]}),
    "MatMul": ((3, 11), (11, 7), 1, {}),
    "Gemm": ((3, 11), (7, 11), 0, {"transB": 1}),
}


def pairs(op, kind, seed, *, columns=True, bias=True, between=(), units=1.0, floats=False):
    """x -> Q -> DQ -> op (of dequantised weights and bias) -> the nodes `between` -> Q -> y."""
    rng, (shape, sizes, axis, attributes) = np.random.default_rng(seed), SHAPES[op]
    scales = [sizes[axis]] if columns else []
    arrays = {
        "xs": np.float32(rng.uniform(0.01, 0.1)),
        "xz": bytes_of(rng, kind),
        "w": bytes_of(rng, "int8", *sizes),
        "ws": np.asarray(rng.uniform(0.01, 0.1, scales), np.float32),
        "wz": np.zeros(scales, np.int8),
        "ys": np.float32(rng.uniform(0.1, 2.0)),
        "yz": bytes_of(rng, kind),
        "low": np.float32(-3.0),
        "high": np.float32(6.0),
    }
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["xq"]),
        helper.make_node("DequantizeLinear", ["xq", "xs", "xz"], ["xd"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"], axis=axis),
    ]
    inputs = ["xd", "wd"]
    if bias and op != "MatMul":
        arrays["b"] = rng.integers(-3000, 3000, 7, np.int32)
        arrays["bs"] = np.asarray(arrays["xs"] * arrays["ws"] * np.float32(units), np.float32)
        if floats:  # as torch's exporter writes it
            arrays["bd"] = np.asarray(arrays["b"] * arrays["bs"] * np.float32(1.1), np.float32)
        else:
            nodes.append(helper.make_node("DequantizeLinear", ["b", "bs"], ["bd"], axis=0))
        inputs.append("bd")
    nodes.append(helper.make_node(op, inputs, ["product"], "the_product", **attributes))
    last = "product"
    for number, (activation, names) in enumerate(between):
        nodes.append(helper.make_node(activation, [last, *names], [f"active{number}"]))
        last = f"active{number}"
    nodes.append(helper.make_node("QuantizeLinear", [last, "ys", "yz"], ["y"]))
    model = model_of(nodes, {"x": (TensorProto.FLOAT, shape)}, {"y": (KINDS[kind][1], None)}, arrays)
    return model, {"x": np.asarray(rng.standard_normal(shape) * 2, np.float32)}


def run(model, sample):
    """The result, onnxruntime's, and the element types of weights on crossbars.

    Every node as ONNX defines it: what onnxruntime fuses takes the scale of a bias for that of the product.
    """
    compiled = compile_in_memory(model, SMALL, 32)
    (found,) = run_in_process(compiled, [sample])
    groups = [group for program in compiled.programs.values() for group in program.groups]
    (wanted,) = exact_session(model, optimised=False).run(["y"], sample)
    return found["y"], wanted, {group.weight for group in groups}


def check_but_ties(found, wanted):
    """Equal, except where onnxruntime, which computes in floats whose sums round, may put a tie on the other side."""
    apart = np.abs(found.astype(int) - wanted.astype(int))
    assert apart.max() <= 1
    assert np.count_nonzero(apart) <= 0.01 * apart.size + 1


@pytest.mark.parametrize("op", SHAPES)
@settings(max_examples=examples(4, 12))
@given(st.sampled_from(["int8", "uint8"]), st.booleans(), st.booleans(), st.integers(0, 10**6))
def test_products_are_exact(op, kind, columns, bias, seed):
    found, wanted, weights = run(*pairs(op, kind, seed, columns=columns, bias=bias))
    assert weights == {DType.i8}
    assert found.dtype == wanted.dtype
    check_but_ties(found, wanted)


@pytest.mark.parametrize("between", [[("Relu", ())], [("Clip", ("low", "high"))], [("Clip", ("", "high"))]])
@settings(max_examples=examples(4, 32))
@given(st.sampled_from(["int8", "uint8"]), st.integers(0, 10**6))
def test_activations_are_bounds_of_the_integers(between, kind, seed):
    found, wanted, weights = run(*pairs("Conv", kind, seed, between=between))
    assert weights == {DType.i8}
    check_but_ties(found, wanted)


@pytest.mark.parametrize("op", SHAPES)
@pytest.mark.parametrize(
    "options",
    [
        {"units": 1.25},
        {"between": [("Tanh", ())]},
        {"between": [("Relu", ()), ("Tanh", ())]},
        {"floats": True},
        {"floats": True, "between": [("Relu", ())]},
    ],
)
@settings(max_examples=examples(2, 12))
@given(st.booleans(), st.sampled_from(["int8", "uint8"]), st.integers(0, 10**6))
def test_the_sums_of_others_are_integers_too(op, options, columns, kind, seed):
    """Scaled and biased as float32."""
    found, wanted, weights = run(*pairs(op, kind, seed, columns=columns, **options))
    assert weights == {DType.i8}
    check_but_ties(found, wanted)


def test_a_product_with_another_use_is_one_of_integers_with_a_float_result():
    model, sample = pairs("Gemm", "int8", 6)
    model.graph.output.append(helper.make_tensor_value_info("product", TensorProto.FLOAT, None))
    found, wanted, weights = run(model, sample)
    assert weights == {DType.i8}
    assert np.abs(found.astype(int) - wanted.astype(int)).max() <= 1


def test_a_bias_of_the_run_stays_as_it_is_written():
    model, sample = pairs("Gemm", "int8", 6)
    model.graph.input.append(helper.make_tensor_value_info("bd", TensorProto.FLOAT, (7,)))
    del model.graph.node[[node.output[0] for node in model.graph.node].index("bd")]
    sample["bd"] = np.linspace(-3, 3, 7, dtype=np.float32)
    found, wanted, weights = run(model, sample)
    assert weights == {DType.f32}
    assert np.abs(found.astype(int) - wanted.astype(int)).max() <= 1
