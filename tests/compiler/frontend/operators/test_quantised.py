"""Quantised products equal onnxruntime exactly: convolutions over one to three dimensions, matrices of any rank."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import compile_in_memory, run_in_process
from onnx import TensorProto, helper
from quantised_models import KINDS, SMALL, bytes_of, check_exact, model_of

from emu.errors import CompileError
from emu.isa.dtypes import DType
from emu.program.group import physical_crossbars


@st.composite
def windows(draw):
    """Sizes of an image and a window over it."""
    kernel = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(1, 3)))]
    attributes = {
        "kernel_shape": kernel,
        "strides": [draw(st.integers(1, 2)) for _ in kernel],
        "pads": [draw(st.integers(0, size - 1)) for size in kernel * 2],
        "dilations": [draw(st.integers(1, 2)) for _ in kernel],
    }
    return [draw(st.integers((size - 1) * 2 + 1, 7)) for size in kernel], attributes


kinds = st.sampled_from([("int8", "int8"), ("uint8", "int8"), ("uint8", "uint8")])
groupings = st.sampled_from([(1, 3, 4), (1, 12, 11), (3, 1, 1), (2, 5, 2)])


@settings(max_examples=examples(6, 25))
@given(windows(), groupings, kinds, st.booleans(), st.booleans(), st.booleans(), st.integers(0, 10**6))
def test_qlinear_conv(view, groups, types, per_channel, bias, zeros, seed):
    (image, attributes), (group, channels, filters), (kind, weight) = view, groups, types
    rng, count = np.random.default_rng(seed), group * filters
    sizes = [count] if per_channel else []
    w_zero = bytes_of(rng, weight) if zeros and weight == "uint8" else np.zeros((), KINDS[weight][0])
    x_zero, y_zero = bytes_of(rng, kind, 2) * np.array(zeros, KINDS[kind][0])
    arrays = {
        "x_scale": np.float32(rng.uniform(0.001, 0.1)),
        "x_zero": x_zero,
        "w": bytes_of(rng, weight, count, channels, *attributes["kernel_shape"]),
        "w_scale": np.asarray(rng.uniform(0.001, 0.1, sizes), np.float32),
        "w_zero": np.broadcast_to(w_zero, sizes).copy(),
        "y_scale": np.float32(rng.uniform(0.05, 2.0)),
        "y_zero": y_zero,
    }
    if bias:
        arrays["b"] = rng.integers(-5000, 5000, count, np.int32)
    node = helper.make_node("QLinearConv", ["x", *arrays], ["y"], "conv", group=group, **attributes)
    shape = (1, group * channels, *image)
    code = KINDS[kind][1]
    model = model_of([node], {"x": (code, shape)}, {"y": (code, None)}, arrays)
    compiled = check_exact(model, {"x": bytes_of(rng, kind, *shape)})
    specs = [entry for program in compiled.programs.values() for entry in program.groups]
    assert {spec.input for spec in specs} == {DType[{"int8": "i8", "uint8": "u8"}[kind]]}
    assert {spec.output for spec in specs} == {DType.i32}
    assert all(spec.weight.size <= 2 for spec in specs)


@settings(max_examples=examples(5, 20))
@given(
    st.sampled_from([(4,), (2, 3), (3, 1, 2)]),
    st.sampled_from([(), (2,)]),
    kinds,
    st.booleans(),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_qlinear_matmul(rows, stack, types, per_column, zeros, seed):
    (kind, weight), rng = types, np.random.default_rng(seed)
    stack = stack if rows[:-1] in ((), (2,)) else ()
    sizes = [6] if per_column and not stack else []
    x_zero, y_zero = bytes_of(rng, kind, 2) * np.array(zeros, KINDS[kind][0])
    arrays = {
        "x_scale": np.float32(rng.uniform(0.001, 0.1)),
        "x_zero": x_zero,
        "w": bytes_of(rng, weight, *stack, 13, 6),
        "w_scale": np.asarray(rng.uniform(0.001, 0.1, sizes), np.float32),
        "w_zero": bytes_of(rng, weight, *sizes) * np.array(zeros, KINDS[weight][0]),
        "y_scale": np.float32(rng.uniform(0.05, 2.0)),
        "y_zero": y_zero,
    }
    node = helper.make_node("QLinearMatMul", ["x", *arrays], ["y"], "product")
    code, shape = KINDS[kind][1], (*rows, 13)
    model = model_of([node], {"x": (code, shape)}, {"y": (code, None)}, arrays)
    check_exact(model, {"x": bytes_of(rng, kind, *shape)})


@settings(max_examples=examples(8, 100))
@given(
    windows(), groupings, st.sampled_from([("uint8", "uint8"), ("uint8", "int8")]), st.booleans(), st.integers(0, 999)
)
def test_conv_integer(view, groups, types, at_run_time, seed):
    (image, attributes), (group, channels, filters), (kind, weight) = view, groups, types
    rng, count = np.random.default_rng(seed), group * filters
    arrays = {
        "w": bytes_of(rng, weight, count, channels, *attributes["kernel_shape"]),
        "x_zero": bytes_of(rng, kind),
        "w_zero": bytes_of(rng, weight) * np.array(weight == "uint8", KINDS[weight][0]),
    }
    node = helper.make_node("ConvInteger", ["x", *arrays], ["y"], group=group, **attributes)
    shape, code = (2, group * channels, *image), KINDS[kind][1]
    sample, inputs = {"x": bytes_of(rng, kind, *shape)}, {"x": (code, shape)}
    if at_run_time:
        sample["x_zero"], inputs["x_zero"] = arrays.pop("x_zero"), (code, ())
    check_exact(model_of([node], inputs, {"y": (TensorProto.INT32, None)}, arrays), sample)


@settings(max_examples=examples(8, 100))
@given(st.sampled_from([(4,), (2, 3)]), kinds, st.booleans(), st.booleans(), st.integers(0, 999))
def test_matmul_integer(rows, types, columns, at_run_time, seed):
    (kind, weight), rng = types, np.random.default_rng(seed)
    arrays = {
        "w": bytes_of(rng, weight, 11, 5),
        "x_zero": bytes_of(rng, kind),
        "w_zero": bytes_of(rng, weight, *([5] if columns else [])),
    }
    node = helper.make_node("MatMulInteger", ["x", *arrays], ["y"])
    shape, code = (*rows, 11), KINDS[kind][1]
    sample, inputs = {"x": bytes_of(rng, kind, *shape)}, {"x": (code, shape)}
    if at_run_time:
        sample["x_zero"], inputs["x_zero"] = arrays.pop("x_zero"), (code, ())
    check_exact(model_of([node], inputs, {"y": (TensorProto.INT32, None)}, arrays), sample)


def test_zero_points_per_row_are_subtracted_row_by_row():
    rng = np.random.default_rng(3)
    arrays = {"w": bytes_of(rng, "uint8", 7, 5), "x_zero": bytes_of(rng, "uint8", 4)}
    node = helper.make_node("MatMulInteger", ["x", *arrays], ["y"])
    model = model_of([node], {"x": (TensorProto.UINT8, (2, 4, 7))}, {"y": (TensorProto.INT32, None)}, arrays)
    sample = {"x": bytes_of(rng, "uint8", 2, 4, 7)}
    (found,) = run_in_process(compile_in_memory(model, SMALL, 16), [sample])
    wide = sample["x"].astype(int) - arrays["x_zero"].astype(int)[:, None]
    np.testing.assert_array_equal(found["y"], wide @ arrays["w"].astype(int))


def test_scales_and_zero_points_of_a_run():
    """Nothing but the weights needs to be constant."""
    rng = np.random.default_rng(4)
    arrays = {"w": bytes_of(rng, "uint8", 6, 3, 3, 3), "w_scale": np.float32(0.02), "w_zero": np.uint8(99)}
    sample = {
        "x": bytes_of(rng, "uint8", 1, 3, 6, 5),
        "x_scale": np.float32(0.04),
        "x_zero": np.asarray(np.uint8(131)),
        "y_scale": np.float32(0.9),
        "y_zero": np.asarray(np.uint8(77)),
    }
    sample = {name: np.asarray(array) for name, array in sample.items()}
    names = ["x", "x_scale", "x_zero", *arrays, "y_scale", "y_zero"]
    node = helper.make_node("QLinearConv", names, ["y"], pads=[1, 1, 1, 0])
    codes = {name: TensorProto.FLOAT if "scale" in name else TensorProto.UINT8 for name in sample}
    inputs = {name: (codes[name], array.shape) for name, array in sample.items()}
    check_exact(model_of([node], inputs, {"y": (TensorProto.UINT8, None)}, arrays), sample)


def test_partial_sums_of_many_crossbars_are_added_as_integers():
    rng = np.random.default_rng(8)
    arrays = {"w": bytes_of(rng, "int8", 90, 25), "x_zero": np.int8(-3)}
    node = helper.make_node("MatMulInteger", ["x", *arrays], ["y"])
    model = model_of([node], {"x": (TensorProto.INT8, (3, 90))}, {"y": (TensorProto.INT32, None)}, arrays)
    compiled = check_exact(model, {"x": bytes_of(rng, "int8", 3, 90)}, ("image",))
    assert len(compiled.programs) > 1
    groups = [entry for program in compiled.programs.values() for entry in program.groups]
    assert physical_crossbars(groups, SMALL) == sum(group.crossbars for group in groups) * SMALL.cells(DType.i8)


@settings(max_examples=examples(5, 25))
@given(
    st.sampled_from([((4, 7), (7, 5)), ((2, 4, 7), (2, 7, 5)), ((1, 3, 2, 7), (2, 1, 7, 4)), ((2, 3, 7), (7, 1))]),
    kinds,
    st.sampled_from(["none", "number", "column"]),
    st.booleans(),
    st.integers(0, 999),
)
def test_products_of_two_results(shapes, types, zeros, at_run_time, seed):
    """MatMulInteger and QLinearMatMul whose operands are both computed."""
    rng, right = np.random.default_rng(seed), shapes[1]
    codes, names = [KINDS[kind][1] for kind in types], ("a", "b")
    sample = {name: bytes_of(rng, kind, *shape) for name, kind, shape in zip(names, types, shapes, strict=True)}
    inputs = {name: (code, shape) for name, code, shape in zip(names, codes, shapes, strict=True)}
    columns = right[-1:] if zeros == "column" and len(right) == 2 else ()
    points = {"a_zero": bytes_of(rng, types[0]), "b_zero": bytes_of(rng, types[1], *columns)}
    if zeros == "none":
        points = {name: np.zeros_like(array) for name, array in points.items()}
    scales = {name: np.float32(rng.uniform(0.001, 0.1)) for name in ("a_scale", "b_scale")}
    if at_run_time:
        sample |= {name: np.asarray(array) for name, array in points.items()}
        inputs |= {name: (code, np.shape(points[name])) for name, code in zip(points, codes, strict=True)}
    arrays = {} if at_run_time else dict(points)
    sums = helper.make_node("MatMulInteger", ["a", "b", "a_zero", "b_zero"], ["sums"])
    places = ["a", "a_scale", "a_zero", "b", "b_scale", "b_zero", "y_scale", "y_zero"]
    made = helper.make_node("QLinearMatMul", places, ["y"])
    arrays |= {**scales, "y_scale": np.float32(rng.uniform(0.05, 2.0)), "y_zero": bytes_of(rng, types[0])}
    outputs = {"sums": (TensorProto.INT32, None)}
    check_exact(model_of([sums], inputs, outputs, {} if at_run_time else points), sample)
    if columns:  # onnxruntime wants as many scales as zero points
        arrays["b_scale"] = rng.uniform(0.001, 0.1, columns).astype(np.float32)
    check_exact(model_of([made], inputs, {"y": (codes[0], None)}, arrays), sample)


@pytest.mark.parametrize(
    ("shapes", "zero", "message"),
    [
        (((3, 4), (5, 2)), (), r"multiplies \[3, 4\] by \[5, 2\]"),
        (((3, 4), (4, 2)), (3,), r"zero points \[3\] for columns of \[4, 2\]"),
    ],
)
def test_results_that_do_not_fit_are_refused(shapes, zero, message):
    node = helper.make_node("MatMulInteger", ["x", "w", "", "zero"], ["y"], "product")
    inputs = {name: (TensorProto.INT8, shape) for name, shape in zip("xw", shapes, strict=True)}
    model = model_of([node], inputs, {"y": (TensorProto.INT32, None)}, {"zero": np.ones(zero, np.int8)})
    with pytest.raises(CompileError, match=message):
        compile_in_memory(model, SMALL, 16)
