"""Rolled code unrolls to exactly what it was, and is as short as the loops that it came from."""

import tracemalloc

import numpy as np
import pytest
from convolution_core import FIXED, Convolution, convolution
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from unrolled_nests import matrix_of, nests, rows_of, size_of

from emu.interop.pim_isa.format.program import FIELDS
from emu.interop.pim_isa.format.reader import read_program
from emu.interop.rolling.roll import roll
from emu.interop.rolling.sequence import Sequence
from launch.bench.pimsim_program import write_pimcomp_style

HUGE = [0, 1, -1, 2, 1 << 61, 1 << 62, (1 << 63) - 1, -(1 << 63), -(1 << 48), 1 << 48, (1 << 48) + 1, 1 << 47]
NAMES_FIXED = tuple(FIELDS.index(name) for name in FIELDS if name not in ("imm", "offset_value"))


@st.composite
def matrices(draw):
    """Few values, so that rows repeat often; some of them at the ends of what 64 bits hold."""
    shape = draw(st.integers(0, 60)), draw(st.integers(1, 4))
    values = st.sampled_from(draw(st.sampled_from([HUGE, [0, 1], [0, 1, 2, 3], [5], [0, 8, 16, 24, 32, 40]])))
    return draw(arrays(np.int64, shape, elements=values))


def checked(matrix, fixed):
    rolled = roll(matrix, fixed)
    assert np.array_equal(rolled.unrolled(), matrix)
    assert rows_of(rolled) == matrix.tolist()
    assert rolled.rows + rolled.loops == len(rolled.trips) <= len(matrix) == rolled.instructions
    assert not rolled.strides[:, list(fixed)].any()
    return rolled


@settings(max_examples=examples(75, 300))
@given(matrices(), st.data())
def test_unrolls_to_what_it_was(matrix, data):
    checked(matrix, data.draw(st.lists(st.integers(0, matrix.shape[1] - 1), unique=True)))


@settings(max_examples=examples(50, 200))
@given(nests())
def test_finds_all_loops_of_rows_that_differ(nest):
    assert len(checked(matrix_of(nest, 3), [0]).trips) <= size_of(nest)


@settings(max_examples=examples(50, 200))
@given(nests(ops=3))
def test_rows_of_few_kinds(nest):
    checked(matrix_of(nest, 3), [0])


@pytest.mark.parametrize("matrix", [np.zeros((0, 3)), np.zeros((0, 0)), np.zeros((5, 0)), np.ones((1, 2))])
def test_small(matrix):
    matrix = matrix.astype(np.int64)
    rolled = roll(matrix, [])
    assert np.array_equal(rolled.unrolled(), matrix)
    assert rolled.ratio == (len(rolled.trips) / len(matrix) if len(matrix) else 1)


def test_one_loop():
    """Register 0 goes in steps of 64, register 1 stays."""
    matrix = np.array([[0, 64 * (place // 2)] if place % 2 == 0 else [1, 7] for place in range(20)], np.int64)
    rolled = checked(matrix, [0])
    assert rolled.trips.tolist() == [10, 0, 0]
    assert rolled.end.tolist() == [3, -1, -1]
    assert rolled.depth.tolist() == [0, 1, 1]
    assert rolled.base.tolist() == [[0, 0], [0, 0], [1, 7]]
    assert rolled.strides[rolled.stride[1:3]].tolist() == [[[0, 64]], [[0, 0]]]
    assert rolled.ratio == 3 / 20


def test_a_fixed_field_is_never_affine():
    matrix = np.arange(40).reshape(20, 2)
    assert roll(matrix, [0]).loops == 0
    assert roll(matrix, []).rows == 1


def test_what_overflows_is_no_loop():
    """Steps of 2**62 come back to where they were after four of them, in 64 bits only."""
    values = np.array([0, 1 << 62, -(1 << 63), -(1 << 62)] * 8, np.int64)
    rolled = checked(values[:, None], [])
    assert len(rolled.trips) == 5
    assert not rolled.strides.any()


@pytest.mark.parametrize("far", [1 << 48, 1 << 61, (1 << 63) - 1])
def test_values_that_go_up_and_down_are_a_loop_of_two_bodies(far):
    """At these distances sums of second differences are zero in 64 bits for many values that are in no equal steps."""
    rows = [[place, (-far, far)[place % 2], (-far, far)[place % 2]] for place in range(40)]
    assert len(checked(np.array(rows, np.int64), []).trips) == 3


def test_what_only_looks_like_a_repeat_is_none():
    rows = [[0, 5, 0], [0, 6, 0], [0, 7, 1], [0, 8, 0]]
    sequence = Sequence.straight(np.array(rows, np.int64), [0])
    assert sequence.steps_of(0, 1, 4) is None
    assert sequence.steps_of(0, 1, 3) is None
    assert sequence.steps_of(0, 1, 2).tolist() == [[1, 0]]


def test_a_ring_is_a_loop_of_its_rounds():
    """An address in a ring of three buffers, beside one that runs on: three bodies in a loop, in a loop of rounds."""
    rows = [row for n in range(60) for row in ([0, n % 3 * 64, 0], [1, n % 3 * 64, n * 8], [2, n % 3 * n % 2, n])]
    rolled = checked(np.array(rows, np.int64), [0])
    assert len(rolled.trips) <= 6 * 3 + 2


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "layer, share",
    [
        (Convolution(30, 40), 0.02),
        (Convolution(57, 21), 0.03),
        (Convolution(61, 30, ring=3, buffers=3), 0.03),
        (Convolution(40, 28, tiles=4, buffers=1), 0.03),
    ],
)
def test_convolutions_with_borders_and_rings(layer, share):
    assert checked(convolution(layer), FIXED).ratio < share


def core_matrices(path):
    for columns in read_program(path).cores.values():
        yield np.stack([getattr(columns, name).astype(np.int64) for name in FIELDS], axis=1)


@pytest.mark.parametrize(
    "cores, rounds",
    [(4, 300), pytest.param(4, 1600, marks=pytest.mark.full), pytest.param(44, 1897, marks=pytest.mark.full)],
)
def test_a_pipeline_rolls_to_one_body(tmp_path, cores, rounds):
    path = tmp_path / "program.json"
    write_pimcomp_style(path, cores, rounds)
    for matrix in core_matrices(path):
        rolled = roll(matrix, NAMES_FIXED)
        assert np.array_equal(rolled.unrolled(), matrix)
        assert rolled.ratio < 0.02


def test_code_without_repeats_stays_as_it_is():
    random = np.random.default_rng(1)
    matrix = random.integers(0, 1 << 40, (3000, 5))
    rolled = checked(matrix, [0])
    assert (rolled.rows, rolled.loops, rolled.ratio) == (3000, 0, 1)
    assert np.array_equal(rolled.base, matrix)


def pairs(rows):
    """Bodies of three rows that come twice each and differ in all but their kind."""
    random = np.random.default_rng(2)
    kinds = np.tile(random.integers(0, 1000, (rows // 6, 3, 1)), (1, 2, 1)).reshape(-1, 1)
    return np.concatenate((kinds, random.integers(0, 1 << 40, (len(kinds), 24))), axis=1)


@pytest.mark.parametrize(
    "matrix, most",
    [(np.tile(convolution(Convolution(14, 40)), (1, 2)), 1), (pairs(12_000), 3), (np.diag(np.arange(2000)), 3)],
)
def test_takes_a_few_times_the_memory_of_the_code(matrix, most):
    tracemalloc.start()
    try:
        roll(matrix, FIXED)
        assert tracemalloc.get_traced_memory()[1] < most * matrix.nbytes
    finally:
        tracemalloc.stop()
