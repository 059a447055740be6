"""Float arithmetic and functions against `math`, on both engines, alone and in a loop."""

import math

import numpy as np
import pytest
from core_values import values

from emu.isa.dtypes import FLOATS
from emu.isa.dtypes import DType as T
from emu.isa.table import BY_NAME

FLOAT_BINARY = {
    "vvadd": lambda a, b: a + b,
    "vvsub": lambda a, b: a - b,
    "vvmul": lambda a, b: a * b,
    "vvdiv": lambda a, b: a / b,
    "vvmax": max,
    "vvmin": min,
}


@pytest.mark.parametrize("dtype", sorted(FLOATS))
@pytest.mark.parametrize("name", FLOAT_BINARY)
def test_floats_round_once(name, dtype, go):
    a, b = values(dtype, seed=2), values(dtype, seed=1)
    # Python computes in f64, in which these results are exact enough for one correct rounding.
    expected = np.array([FLOAT_BINARY[name](float(x), float(y)) for x, y in zip(a, b, strict=True)])
    got = go(name, [dtype], [a, b], np.zeros_like(a), n=len(a))
    np.testing.assert_array_equal(got, expected.astype(dtype.numpy))
    if name.replace("vv", "vs") in BY_NAME:
        got = go(name.replace("vv", "vs"), [dtype], [a], np.zeros_like(a), n=len(a), imm=0.3)
        by = float(np.float32(0.3))
        expected = np.array([FLOAT_BINARY[name](float(x), by) for x in a]).astype(dtype.numpy)
        np.testing.assert_array_equal(got, expected)


FUNCTIONS = {
    "vrelu": (lambda x: max(x, 0.0), 0),
    "vtanh": (math.tanh, 3e-7),
    "vsigm": (lambda x: 1 / (1 + math.exp(-x)), 3e-7),
    "vexp": (math.exp, 3e-7),
    "vlog": (lambda x: math.log(abs(x)) if x > 0 else math.nan, 3e-7),
    "vsqrt": (lambda x: math.sqrt(x) if x >= 0 else math.nan, 1e-7),
    "vabs": (abs, 0),
    "vneg": (lambda x: -x, 0),
    "verf": (math.erf, 5e-7),
    "vfloor": (math.floor, 0),
    "vceil": (math.ceil, 0),
    "vround": (round, 0),
    "vlrelu": (lambda x: x if x >= 0 else x * float(np.float32(0.1)), 1e-7),
    "vspow": (lambda x: float(x) ** 3, 3e-7),
    "vsign": (lambda x: (x > 0) - (x < 0), 0),
    "vsin": (math.sin, 3e-7),
    "vcos": (math.cos, 3e-7),
    "vtan": (math.tan, 1e-6),
    "vasin": (lambda x: math.asin(x) if abs(x) <= 1 else math.nan, 3e-7),
    "vacos": (lambda x: math.acos(x) if abs(x) <= 1 else math.nan, 3e-7),
    "vatan": (math.atan, 3e-7),
    "vsinh": (math.sinh, 3e-7),
    "vcosh": (math.cosh, 3e-7),
    "vasinh": (math.asinh, 3e-7),
    "vacosh": (lambda x: math.acosh(x) if x >= 1 else math.nan, 3e-7),
    "vatanh": (lambda x: math.atanh(x) if abs(x) < 1 else math.nan, 3e-7),
}


@pytest.mark.parametrize("dtype", sorted(FLOATS))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, dtype, go):
    x = np.concatenate([values(dtype, seed=3)[4:], np.array([0.5, 1.5, 2.5, -0.5, -6, 6], dtype.numpy)])
    imm = {"vlrelu": {"imm": 0.1}, "vspow": {"imm": 3}}.get(name, {})
    got = go(name, [dtype], [x], np.zeros_like(x), n=len(x), **imm).astype(np.float64)
    formula, tolerance = FUNCTIONS[name]
    expected = np.array([formula(float(v)) for v in x])
    tolerance = max(tolerance, 6e-4) if dtype == T.f16 and tolerance else tolerance
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", sorted(FLOATS))
def test_powers_and_remainders(dtype, go):
    a, b = np.abs(values(dtype, seed=3)), values(dtype, seed=1)
    exact = {"vvpow": lambda x, y: x**y, "vvmod": lambda x, y: x - y * math.floor(x / y), "vvrem": math.fmod}
    for name, formula in exact.items():
        x = a if name == "vvpow" else a * np.where(np.arange(len(a)) % 2, 1, -1).astype(dtype.numpy)
        got = go(name, [dtype], [x, b], np.zeros_like(x), n=len(x))
        expected = np.array([formula(float(p), float(q)) for p, q in zip(x, b, strict=True)])
        tolerance = 1e-3 if dtype == T.f16 else 3e-6
        np.testing.assert_allclose(got.astype(np.float64), expected, rtol=tolerance, atol=tolerance, err_msg=name)
        # A vector, its single elements and an exponent that is repeated agree bit for bit.
        for k in (0, 7, 12):
            one = go(name, [dtype], [x[k:], b[k:]], np.zeros(1, dtype.numpy), n=1)
            repeated = go(name, [dtype], [x[k:], b[k:]], np.zeros(9, dtype.numpy), strides=(1, 1, 0), n=9)
            assert one.tobytes() == repeated[:1].tobytes() == got[k : k + 1].tobytes()


def test_powers_of_two_squares_and_roots_are_those_of_numpy(go):
    base = np.linspace(0.1, 9, 50, dtype=np.float32)
    for exponent in (2.0, 0.5, 1.0, 0.0, -1.0):
        other = np.full_like(base, exponent)
        got = go("vvpow", [T.f32], [base, other], np.zeros_like(base), n=50)
        np.testing.assert_array_equal(got, np.power(base, other))


def test_the_sign_of_nothing_is_nothing(go):
    x = np.array([np.nan, -0.0, 0.0, np.inf, -np.inf], np.float32)
    np.testing.assert_array_equal(
        go("vsign", [T.f32], [x], np.zeros_like(x), n=5), np.array([np.nan, 0, 0, 1, -1], np.float32)
    )


def test_functions_at_the_extremes(go):
    x = np.array([-np.inf, -1000, -100, 0, 100, 1000, np.inf, np.nan], np.float32)
    sigm = go("vsigm", [T.f32], [x], np.zeros_like(x), n=8)
    np.testing.assert_array_equal(sigm[[0, 1, 3, 4, 5, 6]], np.array([0, 0, 0.5, 1, 1, 1], np.float32))
    assert 0 <= sigm[2] < 1e-40 and np.isnan(sigm[7])
    erf = go("verf", [T.f32], [x], np.zeros_like(x), n=8)
    np.testing.assert_array_equal(erf, np.array([-1, -1, -1, 0, 1, 1, 1, np.nan], np.float32))
    assert np.isnan(go("vrelu", [T.f32], [x], np.zeros_like(x), n=8)[7])
    log = go("vlog", [T.f32], [x], np.zeros_like(x), n=8)
    assert log[3] == -np.inf and np.isnan(log[1])


def test_erf_is_accurate_everywhere():
    from emu.core.kernels.erf import erf

    x = np.linspace(-6, 6, 20001, dtype=np.float32)
    exact = np.array([math.erf(v) for v in x.tolist()])
    found, mirrored = np.empty_like(x), np.empty_like(x)
    erf(x, out=found)
    erf(-x, out=mirrored)
    assert np.abs(found - exact).max() < 5e-7
    np.testing.assert_array_equal(mirrored, -found)
