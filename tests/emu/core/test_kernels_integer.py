"""Integer arithmetic against Python's exact integers, on both engines, alone and in a loop."""

import numpy as np
import pytest
from core_values import INTEGER_BINARY, clip, truncate, values, wrap

from emu.core.trap import CoreTrap
from emu.isa.dtypes import INTEGERS
from emu.isa.dtypes import DType as T


@pytest.mark.parametrize("dtype", sorted(INTEGERS))
@pytest.mark.parametrize("name", INTEGER_BINARY)
def test_integers_wrap(name, dtype, go):
    a, b = values(dtype), values(dtype, seed=1)
    expected = [wrap(INTEGER_BINARY[name](int(x), int(y)), dtype) for x, y in zip(a, b, strict=True)]
    assert go(name, [dtype], [a, b], np.zeros_like(a), n=len(a)).tolist() == expected


@pytest.mark.parametrize("dtype", sorted(INTEGERS))
@pytest.mark.parametrize("name", ["vvadd", "vvsub", "vvmul"])
def test_saturation(name, dtype, go):
    limits = np.iinfo(dtype.numpy)
    edge = [limits.min, limits.min + 1, -1 if limits.min else 1, 0, 1, limits.max - 1, limits.max]
    a, b = (x.reshape(-1) for x in np.meshgrid(np.array(edge, dtype.numpy), np.array(edge, dtype.numpy)))
    expected = [clip(INTEGER_BINARY[name](int(x), int(y)), dtype) for x, y in zip(a, b, strict=True)]
    assert go(name, [dtype], [a, b], np.zeros_like(a), n=len(a), flags=["sat"]).tolist() == expected


@pytest.mark.parametrize("dtype", sorted(INTEGERS))
@pytest.mark.parametrize("name", ["vvadd", "vvsub", "vvmul"])
def test_overflow_traps(name, dtype, go):
    limits = np.iinfo(dtype.numpy)
    edge = [limits.min, -1 if limits.min else 1, 2, limits.max - 1, limits.max]
    for x in edge:
        for y in edge:
            exact = INTEGER_BINARY[name](int(x), int(y))
            a, b = (np.array([1, v], dtype.numpy) for v in (x, y))
            if exact == clip(exact, dtype):
                got = go(name, [dtype], [a, b], np.zeros_like(a), n=2, flags=["trap"])
                assert got[1] == exact
                continue
            with pytest.raises(CoreTrap) as trap:
                go(name, [dtype], [a, b], np.zeros_like(a), n=2, flags=["trap"])
            record = trap.value.record
            assert (record.reason, record.value, record.limit) == ("integer overflow", exact, clip(exact, dtype))


@pytest.mark.parametrize("dtype", sorted(INTEGERS))
def test_division_truncates(dtype, go):
    a, b = values(dtype), values(dtype, seed=1)
    b = np.where(b == 0, 3, b).astype(dtype.numpy)
    b[2:4] = (np.iinfo(dtype.numpy).max, wrap(-1, dtype))
    a[3] = np.iinfo(dtype.numpy).min
    expected = [wrap(truncate(int(x), int(y)), dtype) for x, y in zip(a, b, strict=True)]
    assert go("vvdiv", [dtype], [a, b], np.zeros_like(a), n=len(a)).tolist() == expected
    expected = [wrap(truncate(int(x), 7), dtype) for x in a]
    assert go("vsdiv", [dtype], [a], np.zeros_like(a), n=len(a), imm=7).tolist() == expected


@pytest.mark.parametrize("dtype", sorted(INTEGERS))
def test_remainders(dtype, go):
    a, b = values(dtype), values(dtype, seed=1)
    b = np.where(b == 0, 3, b).astype(dtype.numpy)
    b[2:4] = (np.iinfo(dtype.numpy).max, wrap(-1, dtype))
    a[3] = np.iinfo(dtype.numpy).min
    pairs = [(int(x), int(y)) for x, y in zip(a, b, strict=True)]
    got = go("vvmod", [dtype], [a, b], np.zeros_like(a), n=len(a))
    assert got.tolist() == [x % y for x, y in pairs]
    got = go("vvrem", [dtype], [a, b], np.zeros_like(a), n=len(a))
    assert got.tolist() == [x - y * truncate(x, y) for x, y in pairs]


@pytest.mark.parametrize("dtype", sorted(INTEGERS))
def test_powers(dtype, go):
    a = values(dtype)
    a[:12] = [wrap(x, dtype) for x in (0, 0, 0, 1, 1, -1, -1, -1, 2, -2, 3, 5)]
    b = (np.arange(40) % 90).astype(dtype.numpy)
    b[:12] = [wrap(x, dtype) for x in (0, 1, -1, -3, 7, -3, -4, 5, -1, -1, -2, 100)]
    expected = [
        wrap(int(x) ** int(y), dtype) if y >= 0 else inverse(int(x), int(y), dtype) for x, y in zip(a, b, strict=True)
    ]
    assert go("vvpow", [dtype], [a, b], np.zeros_like(a), n=40).tolist() == expected


def inverse(base, exponent, dtype):
    """A negative power, as the float that it is, without its fraction; what is infinite becomes the lowest number."""
    return int(float(base) ** exponent) if base else int(np.iinfo(dtype.numpy).min)


@pytest.mark.parametrize("name", ["vvdiv", "vsdiv", "vvmod", "vvrem"])
def test_integer_division_by_zero_traps(name, go):
    a, b = values(T.i16), np.zeros(40, np.int16)
    sources, rest = ([a], {"imm": 0}) if name == "vsdiv" else ([a, b], {})
    with pytest.raises(CoreTrap, match="division of an integer by zero"):
        go(name, [T.i16], sources, np.zeros_like(a), n=40, **rest)


@pytest.mark.parametrize("dtype", sorted(INTEGERS))
def test_shifts(dtype, go):
    bits = dtype.size * 8
    counts = np.array([0, 1, bits - 1, bits, bits + 1, 100, wrap(-1, dtype)], dtype.numpy)
    for value in (1, wrap(-5, dtype), np.iinfo(dtype.numpy).max):
        a = np.full_like(counts, value)
        left = [wrap(int(value) << int(c), dtype) if 0 <= c < bits else 0 for c in counts]
        right = [int(value) >> (int(c) if 0 <= c < bits else 200) for c in counts]
        assert go("vvsll", [dtype], [a, counts], np.zeros_like(a), n=len(a)).tolist() == left
        assert go("vvsra", [dtype], [a, counts], np.zeros_like(a), n=len(a)).tolist() == right


@pytest.mark.parametrize("dtype", sorted(INTEGERS))
def test_integer_immediates(dtype, go):
    a = values(dtype)
    for name in ("vsadd", "vssub", "vsmul", "vsmax", "vsmin"):
        formula = INTEGER_BINARY[name.replace("vs", "vv")]
        got = go(name, [dtype], [a], np.zeros_like(a), n=len(a), imm=5)
        assert got.tolist() == [wrap(formula(int(x), 5), dtype) for x in a]


def test_saturating_immediate(go):
    a = np.array([-128, -1, 0, 100, 127], np.int8)
    assert go("vsadd", [T.i8], [a], a, n=5, imm=30, flags=["sat"]).tolist() == [-98, 29, 30, 127, 127]


@pytest.mark.parametrize("dtype", sorted(INTEGERS))
def test_integer_functions(dtype, go):
    x = values(dtype)
    for name, formula in (
        ("vabs", abs),
        ("vneg", lambda v: -v),
        ("vrelu", lambda v: max(v, 0)),
        ("vnot", lambda v: ~v),
        ("vsign", lambda v: (v > 0) - (v < 0)),
    ):
        got = go(name, [dtype], [x], np.zeros_like(x), n=len(x))
        assert got.tolist() == [wrap(formula(int(v)), dtype) for v in x], name


def test_not_of_bool(go):
    assert go("vnot", [T.bool], [np.array([0, 1, 5], np.uint8)], np.zeros(3, np.uint8), n=3).tolist() == [1, 0, 0]
