"""Every function of elements, of every type that onnxruntime takes, and of float16 rounded once, gives the same."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import compile_in_memory
from one_nodes import CHIP, GRANULARITIES, check_operator, operator_model, run_on_cores

from compiler.frontend.operators.elementwise import OPERATORS
from compiler.frontend.operators.pointwise import ROWS
from emu.errors import CompileError

relaxed = settings(max_examples=examples(60, 300))
FLOAT, HALF, BOOL = np.float32, np.float16, np.bool_
NUMBERS = (FLOAT, np.int32, np.int64, np.int8, np.uint8)
COMPARES = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "IsNaN", "IsInf")
TYPES = {
    **dict.fromkeys(ROWS, (FLOAT,)),
    **dict.fromkeys(("Abs", "Neg", "Add", "Sub", "Mul", "Div", "Max", "Min", "Sign"), NUMBERS[:3]),
    **dict.fromkeys(("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Pow"), NUMBERS[:3]),
    **dict.fromkeys(("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"), (np.int32, np.int64, np.int8, np.uint8)),
    **dict.fromkeys(("And", "Or", "Xor", "Not"), (BOOL,)),
    "Mod": (np.int32, np.int64, np.int8, np.uint8),
    "Shrink": NUMBERS,
    "BitShift": (np.uint8,),
}
RANGES = {  # where a function is defined, and not steep
    **dict.fromkeys(("Log", "Sqrt"), (0.1, 9)),
    **dict.fromkeys(("Asin", "Acos", "Atanh"), (-0.9, 0.9)),
    **dict.fromkeys(("Tan", "Sinh", "Cosh", "Exp"), (-1.2, 1.2)),
    "Acosh": (1.1, 9),
}
SECOND = {"Div": (1, 5), "Mod": (1, 5), "Pow": (0, 3), "BitShift": (0, 9)}
ATTRIBUTES = {
    "Gelu": [{}, {"approximate": "tanh"}],
    "Swish": [{}, {"alpha": 0.5}],
    "SwiGLU": [{}, {"alpha": 0.5}],
    "HardSigmoid": [{}, {"alpha": 0.3, "beta": 0.4}],
    **{kind: [{}, {"alpha": 0.5}] for kind in ("Elu", "Celu", "LeakyRelu", "ThresholdedRelu")},
    "Selu": [{}, {"alpha": 1.5, "gamma": 2.0}],
    "Shrink": [{}, {"bias": 1.5, "lambd": 1.5}],
    "IsInf": [{}, {"detect_positive": 0}, {"detect_negative": 0}, {"detect_positive": 0, "detect_negative": 0}],
    "Mod": [{}, {"fmod": 1}],
    "BitShift": [{"direction": "LEFT"}, {"direction": "RIGHT"}],
}
NEW = {"Swish": 24, "SwiGLU": 28}
FORMULAS = {  # of operators that onnxruntime does not have yet
    "Swish": lambda x, alpha=1.0: x / (1 + np.exp(-alpha * x)),
    "SwiGLU": lambda x, y, alpha=1.0: x / (1 + np.exp(-alpha * x)) * y,
}


@st.composite
def functions(draw):
    kind = draw(st.sampled_from(sorted(ROWS)))
    row, dtype = ROWS[kind], draw(st.sampled_from(TYPES[kind]))
    shape = tuple(draw(st.lists(st.integers(1, 5), max_size=4)))
    count = draw(st.integers(1, 3)) if row.most is None else row.least
    rng, inputs = np.random.default_rng(draw(st.integers(0, 99))), {}
    for number in range(count):
        low, high = SECOND.get(kind, (-4, 5)) if number else RANGES.get(kind, (-4, 5))
        low = max(0, low) if np.dtype(dtype).kind == "u" else low
        part = [draw(st.sampled_from([1, size])) for size in shape] if number and kind != "SwiGLU" else shape
        found = rng.uniform(low, high, part) if dtype == FLOAT else rng.integers(np.ceil(low), high, part)
        inputs["abc"[number]] = np.asarray(found).astype(dtype)
    if dtype == FLOAT and kind in ("IsNaN", "IsInf"):
        inputs["a"] = np.where(inputs["a"] > 2, np.inf, np.where(inputs["a"] < -2, -np.inf, inputs["a"])).astype(FLOAT)
        inputs["a"] = np.where(np.abs(inputs["a"]) < 1, np.nan, inputs["a"]).astype(FLOAT)
    attributes = draw(st.sampled_from(ATTRIBUTES.get(kind, [{}])))
    frozen = {"b": inputs.pop("b")} if count == 2 and draw(st.booleans()) else {}
    return kind, inputs, frozen, dtype, attributes


@relaxed
@given(functions(), st.sampled_from(GRANULARITIES), st.sampled_from(["batch", "step"]))
def test_random_functions(case, granularity, engine):
    kind, inputs, frozen, dtype, attributes = case
    outputs = {"y": np.bool_ if kind in COMPARES else dtype}
    model = operator_model(kind, inputs, frozen, opset=NEW.get(kind, 20), outputs=outputs, **attributes)
    wanted = {"y": FORMULAS[kind](*inputs.values(), *frozen.values(), **attributes)} if kind in NEW else None
    check_operator(model, inputs, granularity, engine, wanted=wanted)


HALVES = [kind for kind, types in TYPES.items() if types == (FLOAT,) and kind not in (*COMPARES, "Celu")]


@pytest.mark.few(12)
@pytest.mark.parametrize("kind", HALVES)
def test_half_precision_is_rounded_once(kind):
    low, high = RANGES.get(kind, (-4, 5))
    inputs = {name: np.random.default_rng(1).uniform(low, high, 40).astype(HALF) for name in "ab"[: ROWS[kind].least]}
    wide = {name: array.astype(FLOAT) for name, array in inputs.items()}
    narrow, model = (operator_model(kind, given, opset=NEW.get(kind, 20)) for given in (inputs, wide))
    wanted = run_on_cores(model, wide)["y"].astype(HALF)
    np.testing.assert_array_max_ulp(run_on_cores(narrow, inputs)["y"], wanted, 1)


POWERS = [(a, b) for a in NUMBERS[:3] for b in (*NUMBERS, np.int16, np.uint16) if a != b]


@pytest.mark.parametrize(("first", "second"), POWERS)
def test_powers_of_mixed_types(first, second):
    x = np.array([1, 2, 3, 4, 5, 7, 2, 1], first)
    y = np.array([4, 5, 6, 0, 1, 2, 1.5, 0.5], FLOAT).astype(second)
    inputs = {"x": x, "e": y}
    wanted = {"y": np.power(x.astype(float), y.astype(float)).astype(first)}
    check_operator(operator_model("Pow", inputs, opset=15), inputs, wanted=wanted)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("exponent", [2, 3, 4, 0.5])
def test_power_of_a_known_number_has_onnxruntimes_bits(exponent, shape):
    x = {"x": np.random.default_rng(1).uniform(0, 9, (2, 5)).astype(FLOAT)}
    model = operator_model("Pow", x, {"e": np.full(shape, exponent, FLOAT)}, opset=15)
    check_operator(model, x, bound=0 if exponent in (2, 3) else 1e-6)


@pytest.mark.parametrize("exponent", [2, 3])
def test_small_powers_are_products_of_each_type(exponent):
    for dtype, power in [(np.int32, np.int64), (np.int64, FLOAT), (np.int32, FLOAT), (HALF, HALF)]:
        x = {"x": np.array([-7, -1, 0, 3, 11], dtype)}
        model = operator_model("Pow", x, {"e": np.array(exponent, power)}, opset=15)
        check_operator(model, x, wanted={"y": x["x"] ** dtype(exponent)}, bound=0)
        programs = compile_in_memory(model, CHIP, 4).programs
        texts = [core.main.instr(at).text for core in programs.values() for at in range(len(core.main))]
        assert not any(text.startswith("vvpow") for text in texts)


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize(
    ("kind", "shape", "axis"),
    [
        ("Add", (3,), 1),
        ("Mul", (3, 4), 1),
        ("Div", (4, 5), None),
        ("Less", (3, 4), 1),
        ("And", (2, 3), 0),
        ("Pow", (3,), 1),
    ],
)
def test_how_operator_set_6_broadcasts(kind, shape, axis, frozen):
    dtype = BOOL if kind == "And" else FLOAT
    rng = np.random.default_rng(1)
    x, y = (rng.integers(1, 3, size).astype(dtype) for size in ((2, 3, 4, 5), shape))
    attributes = {"broadcast": 1} if axis is None else {"broadcast": 1, "axis": axis}
    outputs = {"y": BOOL if kind in ("Less", "And") else dtype}
    inputs, constants = ({"a": x}, {"b": y}) if frozen else ({"a": x, "b": y}, {})
    model = operator_model(kind, inputs, constants, opset=6, outputs=outputs, **attributes)
    behind = 4 - (axis or 0) - len(shape) if axis is not None else 0
    function = {
        "Add": np.add,
        "Mul": np.multiply,
        "Div": np.divide,
        "Less": np.less,
        "And": np.logical_and,
        "Pow": np.power,
    }
    wanted = {"y": function[kind](x, y.reshape(*shape, *(1,) * behind))}
    check_operator(model, inputs, wanted=wanted)


@pytest.mark.parametrize("frozen", [False, True])
def test_prelu_with_a_slope_per_channel_before_operator_set_7(frozen):
    x, slope = np.random.default_rng(1).standard_normal((2, 3, 4)).astype(FLOAT), np.array([0.1, 0.2, 0.3], FLOAT)
    inputs, constants = ({"a": x}, {"b": slope}) if frozen else ({"a": x, "b": slope}, {})
    wanted = {"y": np.where(x < 0, x * slope[:, None], x)}
    check_operator(operator_model("PRelu", inputs, constants, opset=6), inputs, wanted=wanted)


@pytest.mark.parametrize("dtype", [FLOAT, HALF])
@pytest.mark.parametrize("attributes", [{}, {"min": -1.0}, {"max": 0.5}, {"min": -1.0, "max": 0.5}])
def test_clip_before_operator_set_11(dtype, attributes):
    x = np.random.default_rng(1).standard_normal((3, 5)).astype(dtype)
    wanted = {"y": np.clip(x, attributes.get("min", -99), attributes.get("max", 99)).astype(dtype)}
    check_operator(operator_model("Clip", {"x": x}, opset=6, **attributes), {"x": x}, wanted=wanted)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_clip_with_bounds_of_a_run(dtype):
    inputs = {"x": np.arange(-6, 6).astype(dtype), "low": np.array(2, dtype), "high": np.array(5, dtype)}
    check_operator(operator_model("Clip", inputs, opset=13), inputs)


def test_what_is_refused():
    x = np.ones(3, FLOAT)
    for model, words in (
        (operator_model("Add", {"x": x}, {"b": np.ones(3, np.int32)}), "shapes do not fit|several element types"),
        (operator_model("Add", {"x": x}, {"b": np.ones(2, FLOAT)}), "do not broadcast|do not fit"),
    ):
        with pytest.raises(CompileError, match=words):
            run_on_cores(model, {"x": x})


def test_every_row_has_an_import_function():
    assert set(ROWS) <= set(OPERATORS)
