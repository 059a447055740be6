"""Products with array groups: partial sums per row tile, integer wrap-around, accumulation, rewriting."""

import numpy as np
import pytest
from core_single import MODES, execute
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.arch import Arch, Crossbar
from emu.arch.key import keys_of
from emu.core.crossbars.crossbar import make_crossbar
from emu.core.crossbars.kinds.ideal import IdealCrossbar
from emu.core.crossbars.origin import Origin, Position
from emu.isa.dtypes import DType as T
from emu.program.group import GroupSpec

RNG = np.random.default_rng(5)
HERE = Origin(Position(0), 0)


def programmed(spec, weights, stacked=False):
    crossbar = IdealCrossbar(spec, stacked)
    crossbar.program(weights, 0, 0)
    return crossbar


def group(types, row_tiles=(128, 128, 40), cols=21, low=-100, high=100):
    """A group and its padded weights."""
    spec = GroupSpec(*types, row_tiles, (cols,))
    weights = np.zeros((spec.rows, spec.padded_cols), spec.weight.numpy)
    if spec.weight.is_float:
        weights[:, :cols] = RNG.standard_normal((spec.rows, cols))
    else:
        weights[:, :cols] = RNG.integers(low, high + 1, (spec.rows, cols))
    weights.flags.writeable = False
    return spec, weights


def product(spec, weights, x, **options):
    """`mvmul` of one vector through both engines, alone and in a loop; all must agree."""
    start = options.pop("start", np.zeros(spec.cols, spec.output.numpy))
    results = [
        execute(
            "mvmul",
            [spec.input, spec.output],
            [x],
            start,
            groups=[spec],
            weights=[weights],
            group=0,
            engine=engine,
            looped=looped,
            **options,
        )
        for engine, looped in MODES
    ]
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])
    return results[0]


def test_floats_add_partial_sums_in_row_tile_order():
    spec, weights = group((T.f32, T.f32, T.f32))
    x = RNG.standard_normal(spec.rows).astype(np.float32)
    pair = np.stack([x, x])
    parts = [(pair[:, a:b] @ weights[a:b])[0, : spec.cols] for a, b in ((0, 128), (128, 256), (256, 296))]
    np.testing.assert_array_equal(product(spec, weights, x), (parts[0] + parts[1]) + parts[2])
    start = RNG.standard_normal(spec.cols).astype(np.float32)
    got = product(spec, weights, x, start=start, flags=["acc"])
    np.testing.assert_array_equal(got, ((start + parts[0]) + parts[1]) + parts[2])
    relu = product(spec, weights, x, start=start, flags=["acc", "relu"])
    np.testing.assert_array_equal(relu, np.maximum(got, 0))


@pytest.mark.parametrize(
    "types",
    [
        (T.i8, T.i8, T.i32),
        (T.u8, T.i8, T.i32),
        (T.i8, T.i8, T.i8),
        (T.i16, T.i16, T.i32),
        (T.u16, T.u16, T.u16),
        (T.i32, T.i32, T.i32),
        (T.i32, T.i16, T.i64),
        (T.i8, T.i8, T.i64),
    ],
)
def test_integers_are_exact_and_wrap(types):
    limits = np.iinfo(types[1].numpy)
    spec, weights = group(types, low=limits.min, high=int(limits.max))
    limits = np.iinfo(types[0].numpy)
    x = RNG.integers(limits.min, int(limits.max) + 1, spec.rows).astype(types[0].numpy)
    x[:2] = (limits.min, limits.max)
    exact = x.astype(object) @ weights[:, : spec.cols].astype(object)
    expected = np.array([int(v) % (1 << 64) for v in exact], np.uint64).astype(types[2].numpy)
    np.testing.assert_array_equal(product(spec, weights, x), expected)
    start = RNG.integers(0, 100, spec.cols).astype(types[2].numpy)
    np.testing.assert_array_equal(product(spec, weights, x, start=start, flags=["acc"]), expected + start)


@pytest.mark.parametrize(
    "types", [(T.f16, T.f16, T.f16), (T.f32, T.i8, T.f32), (T.i8, T.i8, T.f32), (T.f16, T.i8, T.f32)]
)
def test_mixed_types(types):
    spec, weights = group(types)
    x = RNG.integers(-5, 6, spec.rows).astype(types[0].numpy)
    exact = x.astype(np.float64) @ weights[:, : spec.cols].astype(np.float64)
    tolerance = 1e-3 if types[2] == T.f16 else 1e-5
    np.testing.assert_allclose(product(spec, weights, x), exact, rtol=tolerance, atol=tolerance * 10)


def test_single_row_and_single_column():
    spec, weights = group((T.f32, T.f32, T.f32), (1,), 1)
    x = np.array([3], np.float32)
    np.testing.assert_array_equal(product(spec, weights, x), weights[:, 0] * x)


def test_rewriting_leaves_the_image_alone():
    spec, weights = group((T.i8, T.i8, T.i32), (4,), 3)
    before = weights.copy()
    array = programmed(spec, weights)
    dst = np.zeros((1, 3), np.int32)
    array.multiply(dst, np.eye(4, dtype=np.int8)[2:3], False, False, HERE)
    assert dst[0].tolist() == before[2, :3].tolist()
    array.write(2, np.array([[7, 8, 9]], np.int8), HERE)
    array.multiply(dst, np.eye(4, dtype=np.int8)[2:3], False, False, HERE)
    assert dst[0].tolist() == [7, 8, 9]
    np.testing.assert_array_equal(weights, before)


def test_writing_rows_keeps_what_was_prepared_for_the_others():
    spec, weights = group((T.f32, T.f32, T.f32), (4, 4, 2), 3)
    array = programmed(spec, weights)
    dst = np.zeros((1, 3), np.float32)
    array.multiply(dst, np.ones((1, 10), np.float32), False, False, HERE)
    before = list(array.tiles)
    for value in (1, 2):
        array.write(5, np.full((2, 3), value, np.float32), HERE)
        assert array.tiles[0] is before[0] and array.tiles[2] is before[2]
    written = array.tiles[1]
    array.write(4, np.ones((1, 3), np.float32), HERE)
    assert array.tiles[1] is written and np.shares_memory(array.tiles[0], weights)


@settings(max_examples=50)
@given(
    st.sampled_from([(T.i8, T.i8, T.i32), (T.i32, T.i32, T.i64), (T.i16, T.i32, T.i32), (T.f16, T.f16, T.f32)]),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 9), st.integers(0, 20)), max_size=4),
    st.booleans(),
)
def test_a_written_group_is_one_that_was_made_so(types, writes, stacked):
    """Also where larger numbers need a wider type of the product than those before."""
    spec, weights = group(types, (4, 3, 2), 3, low=-1, high=1)
    array, now = programmed(spec, weights, stacked), weights.copy()
    x = RNG.integers(-100, 100, (3, 9)).astype(spec.input.numpy)
    for row, rows, bits in [(0, 0, 0), *writes]:
        factor = min(1 << bits, 100 if types[1].size < 4 else 1 << 20)
        values = np.arange(3 * min(rows, 9 - row)).reshape(-1, 3) * factor
        now[row : row + len(values), :3] = values.astype(spec.weight.numpy)
        array.write(row, values.astype(spec.weight.numpy), HERE)
        got, wanted = np.empty((2, 3, 3), spec.output.numpy)
        array.multiply(got, x, False, False, HERE)
        programmed(spec, now, stacked).multiply(wanted, x, False, False, HERE)
        np.testing.assert_array_equal(got, wanted)


def test_weights_must_have_the_padded_shape():
    spec, weights = group((T.i8, T.i8, T.i32), (4,), 3)
    with pytest.raises(ValueError, match="shape"):
        programmed(spec, weights[:, :3])


def test_many_vectors_equal_one_at_a_time():
    spec, weights = group((T.f32, T.f32, T.f32))
    array = programmed(spec, weights)
    x = RNG.standard_normal((3, 347, spec.rows)).astype(np.float32)
    whole = np.zeros((3, 347, spec.cols), np.float32)
    array.multiply(whole, x, False, False, HERE)
    for index in ((0, 0), (1, 200), (2, 346)):
        one = np.zeros(spec.cols, np.float32)
        array.multiply(one, x[index], False, False, HERE)
        np.testing.assert_array_equal(one, whole[index])


@pytest.mark.parametrize("accumulate", [False, True])
def test_the_stacked_product_of_the_engine_fast_is_within_its_bound(accumulate):
    rng = np.random.default_rng(5)
    spec = GroupSpec(T.f32, T.f32, T.f32, (128, 128, 128, 77), (16,))
    weights = rng.standard_normal((spec.rows, 16)).astype(np.float32)
    x = rng.standard_normal((300, spec.rows)).astype(np.float32)
    start = rng.standard_normal((300, 16)).astype(np.float32)
    results = []
    for stacked in (False, True):
        results.append(start.copy())
        programmed(spec, weights, stacked).multiply(results[-1], x, accumulate, False, HERE)
    gamma = spec.rows * 2.0**-24 / (1 - spec.rows * 2.0**-24)
    bound = 2 * gamma * (np.abs(x).astype(np.float64) @ np.abs(weights) + (np.abs(start) if accumulate else 0))
    difference = np.abs(results[0].astype(np.float64) - results[1])
    assert (difference <= bound).all() and difference.any()


def test_stacking_leaves_integers_exact():
    rng = np.random.default_rng(6)
    spec = GroupSpec(T.i8, T.i8, T.i16, (128, 100), (16,))
    weights = rng.integers(-128, 128, (spec.rows, 16)).astype(np.int8)
    x = rng.integers(-128, 128, (9, spec.rows)).astype(np.int8)
    results = [np.empty((9, 16), np.int16) for _ in range(2)]
    for stacked, dst in zip((False, True), results, strict=True):
        programmed(spec, weights, stacked).multiply(dst, x, False, False, HERE)
    np.testing.assert_array_equal(*results)
    np.testing.assert_array_equal(results[0], (x.astype(np.int64) @ weights.astype(np.int64)).astype(np.int16))


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("output", [T.i8, T.u16, T.i32, T.i64])
@pytest.mark.parametrize("rows", [1023, 1024, 1025, 1040])
def test_one_product_over_all_tiles_is_as_exact_at_the_edge_of_f32(rows, output, accumulate, relu):
    """Sums of 128 x 128 x 1024 = 2^24 and their neighbours, which f32 holds, or must not be asked to."""
    tiles = (128,) * (rows // 128) + (rows % 128,) * (rows % 128 > 0)
    spec = GroupSpec(T.i8, T.i8, output, tiles, (3,))
    weights = np.zeros((rows, spec.padded_cols), np.int8)
    weights[:, :3] = (-128, -128, -127)
    x = np.full((5, rows), -128, np.int8)
    x[1:4, :3] = RNG.integers(-128, 128, (3, 3))
    start = RNG.integers(0, 100, (5, 3)).astype(output.numpy)
    got = start.copy()
    programmed(spec, weights).multiply(got, x, accumulate, relu, HERE)
    sums = x.astype(np.int64) @ weights[:, :3].astype(np.int64) + (start if accumulate else 0)
    wrapped = sums.astype(output.numpy)
    np.testing.assert_array_equal(got, np.maximum(wrapped, 0) if relu else wrapped)


@pytest.mark.parametrize("kind", keys_of(Crossbar)["kind"].check.choices)
def test_every_kind_that_a_chip_may_name_makes_an_array_group(kind):
    spec = GroupSpec(T.i8, T.i8, T.i32, (3,), (4,))
    made = make_crossbar(spec, Arch(crossbar=Crossbar(kind=kind)))
    assert made.spec is spec and type(made).multiply.__doc__
