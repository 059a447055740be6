"""Conversions between all types against Python's arithmetic, on both engines, alone and in a loop."""

import math

import numpy as np
import pytest
from core_single import MODES, execute
from core_values import clip, values

from emu.isa.dtypes import ALL
from emu.isa.dtypes import DType as T


def convert(value, source, target):
    """One element, by Python arithmetic."""
    if target == T.bool:
        return bool(value)
    if target.is_float:
        return float(np.array(value).astype(target.numpy))
    if source.is_float and math.isnan(value):
        return 0
    if source.is_float and math.isinf(value):
        return clip((1 << 70) * (1 if value > 0 else -1), target)
    return clip(round(value), target)


@pytest.mark.parametrize("source", sorted(ALL))
@pytest.mark.parametrize("target", sorted(ALL))
def test_conversion(source, target):
    x = values(source)
    if source.is_float:
        x[4:10] = (0.5, 1.5, -2.5, np.nan, 60000, -60000)
    with np.errstate(over="ignore"):
        expected = np.array([convert(v, source, target) for v in x.tolist()]).astype(target.numpy)
    for engine, looped in MODES:
        got = execute("vcvt", [source, target], [x], np.zeros(40, target.numpy), n=40, engine=engine, looped=looped)
        np.testing.assert_array_equal(got, expected)


def test_conversion_of_large_floats_to_i64():
    x = np.array([1e30, -1e30, 2.0**63, -(2.0**63), 2.0**62], np.float32)
    got = execute("vcvt", [T.f32, T.i64], [x], np.zeros(5, np.int64), n=5)
    assert got.tolist() == [2**63 - 1, -(2**63), 2**63 - 1, -(2**63), 2**62]
