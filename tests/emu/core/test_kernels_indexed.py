"""Rows read from and written to tables by index, and sorting, on both engines, alone and in a loop."""

import numpy as np
import pytest
from core_single import ARCH
from core_values import values, wrap

from emu.core.engines.core import Core
from emu.core.trap import CoreTrap
from emu.isa.address import Address
from emu.isa.dtypes import ALL, NUMBERS
from emu.isa.dtypes import DType as T
from emu.program.builder import SectionBuilder
from emu.program.program import Data, Program

TABLE = np.array([1.5, 2.5, -1, 8], np.float32)


def test_lookup(go):
    index = np.array([3, 0, 2, 3], np.uint8)
    got = go("vlut", [T.u8, T.f32], [index, TABLE], np.zeros(4, np.float32), n=4, entries=4, width=1)
    assert got.tolist() == [8, 1.5, -1, 8]


@pytest.mark.parametrize("dtype", sorted(ALL))
@pytest.mark.parametrize("kind", [T.i32, T.i64])
def test_rows_of_a_table(dtype, kind, go):
    table, index = values(dtype, 5 * 3).reshape(5, 3), np.array([4, 0, 0, 3, 1, 4], kind.numpy)
    fields = {"n": 6, "entries": 5, "width": 3}
    got = go("vlut", [kind, dtype], [index, table], np.zeros(18, dtype.numpy), **fields)
    assert got.tobytes() == table[index].tobytes()
    turned = np.ascontiguousarray(table.T)  # elements 5 apart, rows next to each other
    got = go(
        "vlut",
        [kind, dtype],
        [index, turned],
        np.zeros(24, dtype.numpy),
        strides=(1, 1, 5),
        pitches=(4, 0, 1),
        **fields,
    )
    assert got.reshape(6, 4)[:, :3].tobytes() == table[index].tobytes()


@pytest.mark.parametrize("flags, lowest", [((), 0), (("wrap",), -4)])
@pytest.mark.parametrize("kind", [T.i8, T.i32, T.i64])
@pytest.mark.parametrize("name", ["vlut", "vput"])
def test_indices_outside_trap_and_may_count_from_the_end(name, kind, flags, lowest, go):
    fields = {"n": 2, "entries": 4, "width": 1}

    def run(last):
        index = np.array([1, last], kind.numpy)
        sources = [index, TABLE] if name == "vlut" else [index, np.array([7, 9], np.float32)]
        result = np.zeros(2, np.float32) if name == "vlut" else TABLE
        return go(name, [kind, T.f32], sources, result, flags=flags, **fields)

    for last in range(lowest, 4):
        expected = TABLE.copy()
        expected[[1, last]] = 7, 9
        assert run(last).tolist() == (TABLE[[1, last]] if name == "vlut" else expected).tolist()
    for last in (lowest - 1, 4, 100, -100):
        with pytest.raises(CoreTrap) as trap:
            run(last)
        record = trap.value.record
        assert (record.reason, record.value, record.limit) == ("index outside the table", last, 4)
        assert record.operand == ("src" if name == "vlut" else "index")


COMBINE = {
    (): lambda old, new: new,
    ("add",): lambda old, new: old + new,
    ("mul",): lambda old, new: old * new,
    ("max",): max,
    ("min",): min,
}


@pytest.mark.parametrize("flags", COMBINE)
@pytest.mark.parametrize("dtype", sorted(NUMBERS))
@pytest.mark.parametrize("width", [1, 3])
def test_rows_are_put_in_order(flags, dtype, width, go):
    rng = np.random.default_rng(1)
    table = values(dtype, 8 * width, seed=3).reshape(8, width)
    rows = (values(dtype, 20 * width, seed=2) % dtype.numpy.type(5)).reshape(20, width)
    index = rng.integers(0, 6, 20).astype(np.int32)  # every row several times, two of them never
    expected = table.copy()
    for place, row in zip(index, rows, strict=True):
        for column in range(width):
            old, new = expected[place, column], row[column]
            exact = COMBINE[flags](*((old, new) if dtype.is_float else (int(old), int(new))))
            expected[place, column] = exact if dtype.is_float else wrap(exact, dtype)
    fields = {"n": 20, "entries": 8, "width": width}
    got = go("vput", [T.i32, dtype], [index, rows], table, flags=flags, **fields)
    assert got.tobytes() == expected.tobytes()
    backwards = index[::-1].copy()  # read from its last element on: the order of places is that of the operand
    start = np.concatenate([backwards, backwards])
    wide = np.full((8, width + 2), 7, dtype.numpy)
    wide[:, :width] = table
    got = go(
        "vput",
        [T.i32, dtype],
        [start[:20], rows],
        wide,
        flags=flags,
        strides=(1, 1, 1),
        pitches=(width + 2, 0, 0),
        **fields,
    ).reshape(8, width + 2)
    again = table.copy()
    for place, row in zip(backwards, rows, strict=True):
        for column in range(width):
            old, new = again[place, column], row[column]
            exact = COMBINE[flags](*((old, new) if dtype.is_float else (int(old), int(new))))
            again[place, column] = exact if dtype.is_float else wrap(exact, dtype)
    assert got[:, :width].tobytes() == again.tobytes() and (got[:, width:] == 7).all()


@pytest.mark.parametrize("place", [T.i32, T.i64])
@pytest.mark.parametrize("dtype", sorted(NUMBERS))
@pytest.mark.parametrize("flags", [(), ("low",)])
def test_the_largest_and_the_smallest(flags, dtype, place, go):
    x = values(dtype, 40, seed=0) // dtype.numpy.type(4) if not dtype.is_float else np.round(values(dtype, 40, seed=0))
    x = x.astype(dtype.numpy)  # with many equal elements
    numbers = x.tolist()
    order = sorted(range(40), key=lambda k: (numbers[k] if flags else -numbers[k], k))
    for k in (1, 7, 40):
        types = [dtype, place]
        given = [np.zeros(k, place.numpy), x], np.zeros(k, dtype.numpy)
        got = go("vtopk", types, *given, flags=flags, n=40, k=k)
        assert got.tobytes() == x[order[:k]].tobytes()
        assert go("vtopk", types, *given, flags=flags, operand=1, n=40, k=k).tolist() == order[:k]


def test_sorting_puts_nan_last_and_keeps_the_last_element_at_one_place(go):
    x = np.array([1, np.nan, 3, -np.inf, np.nan, 2], np.float32)
    for flags, order in (((), [2, 5, 0, 3, 1, 4]), (("low",), [3, 0, 5, 2, 1, 4])):
        places = go(
            "vtopk",
            [T.f32, T.i32],
            [np.zeros(6, np.int32), x],
            np.zeros(6, np.float32),
            flags=flags,
            operand=1,
            n=6,
            k=6,
        )
        assert places.tolist() == order
    together = [np.zeros(3, np.int64), x]
    for operand, expected in ((0, 1), (1, 0)):
        got = go(
            "vtopk",
            [T.f32, T.i64],
            together,
            np.zeros(3, np.float32),
            strides=(0, 0, 1),
            operand=operand,
            n=6,
            k=3,
        )
        assert got[0] == expected


def test_destinations_that_overlap_trap():
    builder = SectionBuilder()
    builder.emit("vtopk", (T.i32, T.i32), (Address(0), Address(8), Address(64)), n=8, k=4)
    core = Core(Program(0, data=(Data(0, bytes(128)),), main=builder.finish()), ARCH, [], "step")
    core.begin("main", 0)
    with pytest.raises(CoreTrap, match=r"partial overlap of source and destination, operand places"):
        core.advance()
