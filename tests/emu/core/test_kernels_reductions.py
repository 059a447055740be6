"""Reductions: sums in index order, on both engines, alone and in a loop."""

from math import prod

import numpy as np
import pytest
from core_single import execute
from core_values import in_order, truncate, values, wrap

from emu.core.trap import CoreTrap
from emu.isa.dtypes import NUMBERS
from emu.isa.dtypes import DType as T


@pytest.mark.parametrize("dtype", sorted(NUMBERS))
def test_reductions_run_in_index_order(dtype, go):
    x, y = values(dtype, 300, seed=4), values(dtype, 300, seed=1)
    if dtype.is_float:
        wide, other = x.astype(np.float32), y.astype(np.float32)
        total, dot = in_order(wide, 0), in_order(wide * other, 0)
        mean = np.float32(total) / np.float32(300)
    else:
        exact = [int(v) for v in x]
        total, mean = wrap(sum(exact), dtype), wrap(truncate(sum(exact), 300), dtype)
        dot = wrap(sum(int(a) * int(b) for a, b in zip(x, y, strict=True)), dtype)
    cases = {"vsum": total, "vavg": mean, "vrmax": x.max(), "vrmin": x.min()}
    for name, expected in cases.items():
        got = go(name, [dtype], [x], np.zeros(1, dtype.numpy), n=300)[0]
        assert got == np.array(expected).astype(dtype.numpy), name
    assert go("vvdmul", [dtype], [x, y], np.zeros(1, dtype.numpy), n=300)[0] == np.array(dot).astype(dtype.numpy)


def test_sums_differ_from_pairwise_sums():
    x = np.random.default_rng(1).standard_normal(1000).astype(np.float32)
    got = execute("vsum", [T.f32], [x], np.zeros(1, np.float32), n=1000)[0]
    assert got == in_order(x, 0) and got != x.sum()


def test_empty_reductions(go):
    x = np.zeros(1, np.float32)
    expected = {"vsum": 0.0, "vprod": 1.0, "vrmax": -np.inf, "vrmin": np.inf}
    for name, value in expected.items():
        assert go(name, [T.f32], [x], x, n=0)[0] == value
    with pytest.raises(CoreTrap, match="division of an integer by zero"):
        go("vavg", [T.i8], [np.zeros(1, np.int8)], np.zeros(1, np.int8), n=0)
    with pytest.raises(CoreTrap, match="no element to choose from"):
        go("vargmax", [T.f32, T.i32], [x], np.zeros(1, np.int32), n=0)


@pytest.mark.parametrize("dtype", sorted(NUMBERS))
def test_products_run_in_index_order(dtype, go):
    x = values(dtype, 12, seed=4)
    if dtype.is_float:
        expected = x[0].astype(np.float32)
        for value in x[1:].astype(np.float32):
            expected = np.float32(expected * value)
    else:
        expected = wrap(prod(x.tolist()), dtype)
    got = go("vprod", [dtype], [x], np.zeros(1, dtype.numpy), n=12)[0]
    assert got == np.array(expected).astype(dtype.numpy)


@pytest.mark.parametrize("place", [T.i32, T.i64])
@pytest.mark.parametrize("dtype", sorted(NUMBERS))
def test_places_of_extremes(dtype, place, go):
    x = np.array([3, 7, 1, 7, 1, 5, 2], dtype.numpy)
    spread = np.repeat(x, 3)
    cases = {("vargmax", ()): 1, ("vargmax", ("last",)): 3, ("vargmin", ()): 2, ("vargmin", ("last",)): 4}
    for (name, flags), expected in cases.items():
        result = np.full(1, 99, place.numpy)
        assert go(name, [dtype, place], [x], result, flags=flags, n=7)[0] == expected
        assert go(name, [dtype, place], [spread], result, strides=(1, 3), flags=flags, n=7)[0] == expected
    if dtype.is_float:
        x[[2, 5]] = np.nan
        assert go("vargmax", [dtype, place], [x], result, n=7)[0] == 2
        assert go("vargmin", [dtype, place], [x], result, flags=["last"], n=7)[0] == 5
