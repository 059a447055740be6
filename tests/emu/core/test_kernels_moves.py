"""Comparisons, selection, logic and moves, on both engines, alone and in a loop."""

from itertools import permutations

import numpy as np
import pytest
from core_values import values

from emu.core.kernels.spec import KernelSpec, bound
from emu.core.kernels.table import KERNELS
from emu.isa.dtypes import ALL
from emu.isa.dtypes import DType as T
from emu.isa.table import BY_CODE, BY_NAME

COMPARE = {
    "vveq": lambda a, b: a == b,
    "vvne": lambda a, b: a != b,
    "vvlt": lambda a, b: a < b,
    "vvle": lambda a, b: a <= b,
    "vvgt": lambda a, b: a > b,
    "vvge": lambda a, b: a >= b,
}


@pytest.mark.parametrize("dtype", sorted(ALL))
@pytest.mark.parametrize("name", COMPARE)
def test_comparisons(name, dtype, go):
    if dtype not in BY_NAME[name].accepts[0]:
        pytest.skip("ordering of bool is not legal")
    a, b = values(dtype), values(dtype, seed=1)
    b[5:20] = a[5:20]
    if dtype.is_float:
        a[30] = np.nan
    expected = [COMPARE[name](x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert go(name, [dtype], [a, b], np.zeros(40, np.bool_), n=40).tolist() == expected


@pytest.mark.parametrize("dtype", sorted(ALL))
def test_select_takes_any_nonzero_byte_as_true(dtype, go):
    a, b = values(dtype), values(dtype, seed=1)
    mask = np.arange(40, dtype=np.uint8) % 4
    expected = [x if m else y for m, x, y in zip(mask.tolist(), a.tolist(), b.tolist(), strict=True)]
    assert go("vsel", [dtype], [mask, a, b], np.zeros_like(a), n=40).tolist() == expected


@pytest.mark.parametrize("name", ["vvand", "vvor", "vvxor", "vveq", "vvne"])
def test_bool_logic(name, go):
    a, b = np.array([0, 0, 1, 2, 7], np.uint8), np.array([0, 4, 0, 1, 9], np.uint8)
    formula = {"vvand": "and", "vvor": "or", "vvxor": "ne", "vveq": "eq", "vvne": "ne"}[name]
    table = {"and": a.astype(bool) & b.astype(bool), "or": a.astype(bool) | b.astype(bool)}
    table |= {"ne": a.astype(bool) ^ b.astype(bool), "eq": ~(a.astype(bool) ^ b.astype(bool))}
    assert go(name, [T.bool], [a, b], np.zeros(5, np.uint8), n=5).tolist() == table[formula].astype(int).tolist()


def test_resize(go):
    x = np.array([-300, -5, 7, 90, 300], np.int16)
    assert go("vrsu", [T.i16, T.i8], [x], np.zeros(5, np.int8), n=5, imm=80).tolist() == [-128, -5, 7, 80, 80]
    assert go("vrsl", [T.i16, T.u8], [x], np.zeros(5, np.uint8), n=5, imm=4).tolist() == [4, 4, 7, 90, 255]


def test_moves_gather_scatter_and_broadcast(go):
    x = np.arange(40, dtype=np.int16)
    assert go("vmv", [T.i16], [x], np.zeros(5, np.int16), strides=(1, 3), n=5).tolist() == [0, 3, 6, 9, 12]
    assert go("vmv", [T.i16], [x], np.zeros(5, np.int16), strides=(1, 0), n=5).tolist() == [0] * 5
    got = go("vscatter", [T.i16], [x], np.zeros(7, np.int16), strides=(3, 1), n=3)
    assert got.tolist() == [0, 0, 0, 1, 0, 0, 2]


def test_broadcast_destination_keeps_the_last_element(go):
    x = np.arange(1, 9, dtype=np.int16)
    got = go("vneg", [T.i16], [x], np.zeros(3, np.int16), strides=(0, 1), n=8)
    assert got.tolist() == [-8, 0, 0]


def test_fill_and_copy(go):
    x = np.arange(20, dtype=np.uint8)
    assert go("lldi", [], [], np.zeros(6, np.uint8), byte=200, size=4).tolist() == [200] * 4 + [0] * 2
    assert go("lmv", [], [x], np.zeros(20, np.uint8), size=20).tolist() == x.tolist()


def test_every_kernel_that_a_row_names_exists_and_is_used():
    from emu.core.kernels.table import KERNELS

    assert {row.kernel for row in BY_CODE.values() if row.kernel} == set(KERNELS)
    vector = [row for row in BY_CODE.values() if row.family.value.startswith(("vector", "reduction", "move"))]
    assert vector and all(row.kernel for row in vector)


@pytest.mark.parametrize("shape", [(64, 128), (3, 40, 128), (33, 7, 128), (1, 256), (128, 1), (5, 5)])
@pytest.mark.parametrize("kind", [np.float32, np.int8])
def test_what_is_turned_is_copied_whole(shape, kind):
    kernel = KERNELS["copy"](KernelSpec("vmv", (), frozenset(), 0, 1, 0, 0))
    for axes in permutations(range(len(shape))):
        source = np.random.default_rng(0).integers(-99, 99, shape).astype(kind)
        dst = np.zeros([shape[axis] for axis in axes], kind).transpose(np.argsort(axes))
        call = bound(kernel, (dst, source))
        for change in (0, 1):
            source += kind(change)
            call()
            np.testing.assert_array_equal(dst, source)
