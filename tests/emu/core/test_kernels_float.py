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
    assert np.abs(erf(x) - exact).max() < 5e-7
    np.testing.assert_array_equal(erf(-x), -erf(x))
