"""Packed weights: the bits of products that NumPy computes and adds, for all numbers, threads and forks."""

import os
import threading

import numpy as np
import pytest
from draws import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

from emu.arch import Arch
from emu.core.crossbars import float_sums
from emu.core.crossbars.crossbar import make_crossbar
from emu.core.crossbars.origin import Origin, Position
from emu.core.products import blas, probe
from emu.core.products.packed import PACKED, PackedSums, PackedTiles
from emu.core.products.probe import chosen, packed
from emu.core.products.ways import INNER, PLAIN, Einsum, Framed
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec

F32 = DType.f32
HERE = Origin(Position(0), 0)
TINY = np.float32(1e-30)  # the product of two is less than the least denormal number
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, TINY, -TINY, 1e-40, -1e-40, 3e38, -3e38], np.float32)


def kernel_or_skip():
    found = packed(chosen())
    if found is None:
        pytest.skip("the BLAS of this machine has no kernel that can be called by itself")
    return found


def drawn(rng, *shape, special=0.0):
    numbers = rng.standard_normal(shape, np.float32)
    chosen_ones = rng.random(shape) < special
    numbers[chosen_ones] = rng.choice(SPECIAL, int(chosen_ones.sum()))
    return numbers


def made(weights, tiles, kernels=packed):
    spec = GroupSpec(F32, F32, F32, tuple(tiles), (weights.shape[1],))
    padded = np.zeros((spec.rows, spec.padded_cols), np.float32)
    padded[:, : spec.cols] = weights
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(float_sums, "packed", kernels)
        crossbar = make_crossbar(spec, Arch())
        crossbar.program(padded, 0, 0)
        crossbar.multiply(
            np.empty((2, spec.cols), np.float32), np.zeros((2, spec.rows), np.float32), False, False, HERE
        )
    return crossbar


def same(one, other):
    """Equal bits; which of two that are no numbers is kept nobody says."""
    return np.array_equal(np.isnan(one), np.isnan(other)) and (
        np.where(np.isnan(one), 0, one).tobytes() == np.where(np.isnan(other), 0, other).tobytes()
    )


@settings(max_examples=examples(80, 3000), deadline=None)
@given(
    tiles=st.lists(st.integers(1, INNER), min_size=1, max_size=3),
    cols=st.integers(1, 150),
    height=st.integers(2, 60) | st.integers(2, 1100),
    special=st.sampled_from([0, 0, 0.01, 0.5]),
    accumulate=st.booleans(),
    relu=st.booleans(),
    seed=st.integers(0, 99),
)
@example(tiles=[128, 128], cols=128, height=49, special=0.01, accumulate=True, relu=False, seed=0)
@example(tiles=[INNER], cols=16, height=1008, special=0, accumulate=False, relu=True, seed=0)
def test_sums_are_those_of_products_that_are_added(tiles, cols, height, special, accumulate, relu, seed):
    kernel_or_skip()
    rng = np.random.default_rng(seed)
    weights = drawn(rng, sum(tiles), cols, special=special)
    x, start = drawn(rng, height, sum(tiles), special=special), drawn(rng, height, cols, special=special)
    found, wanted, bound = start.copy(), start.copy(), start.copy()
    with np.errstate(all="ignore"):
        fast, slow = made(weights, tiles), made(weights, tiles, lambda way: None)
        fast.multiply(found, x, accumulate, relu, HERE)
        slow.multiply(wanted, x, accumulate, relu, HERE)
        call = fast.bound(bound, x, accumulate, relu, HERE)
        call()
        assert same(found, wanted) and same(bound, wanted)
        bound[...] = start
        call()
        assert same(bound, wanted)


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("tiles", [(20,), (20, 20)])
@pytest.mark.parametrize("cols", [16, 21])
@pytest.mark.parametrize("kernels", [packed, lambda way: None], ids=["the kernel alone", "NumPy"])
def test_no_sum_is_negative_zero_however_many_vectors_there_are(cols, tiles, accumulate, kernels):
    """Each product of two numbers is a negative one that is rounded to zero."""
    rows = sum(tiles)
    crossbar = made(np.full((rows, cols), -TINY), tiles, kernels)
    for height in (1, 2, 9):
        sums = np.full((height, cols), -0.0, np.float32)
        crossbar.multiply(sums, np.full((height, rows), TINY), accumulate, False, HERE)
        assert sums.tobytes() == bytes(sums.nbytes)


@given(st.integers(0, 1100), st.integers(1, 1100))
def test_pieces_cover_a_product_and_leave_the_kernel_no_places_of_another_kind(rows, cols):
    pieces, runs = Framed().pieces(rows, cols)
    covered = np.zeros((rows, cols), np.int8)
    for row, height, col, width in pieces:
        covered[row : row + height, col : col + width] += 1
        assert height % 12 in (0, 1, 2, 3, 8, 9, 10, 11) and (height < 12 or width < 16) and col % 8 == 0
        assert any(first <= row and row + height <= first + count and (row - first) % 4 == 0 for first, count in runs)
    assert (covered == 1).all() and sum(count for _, count in runs) == rows


def sums_of(rng, height, kernel, tiles=(40, 30), cols=33):
    weights = [drawn(rng, rows, cols // chosen().multiple * chosen().multiple) for rows in tiles]
    x = drawn(rng, height, sum(tiles))
    total = np.zeros((height, weights[0].shape[1]), np.float32)
    return PackedSums(PackedTiles(kernel, chosen(), weights), x, total, False, False), total


def test_vectors_are_packed_where_no_other_thread_packs_its_own():
    plain = kernel_or_skip()
    call, total = sums_of(np.random.default_rng(1), 30, plain)
    call()
    wanted, other = total.copy(), sums_of(np.random.default_rng(2), 30, plain)[0]
    other()  # both have been called in this thread, where they take turns

    def meanwhile(*arguments):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        plain.add(*arguments)

    disturbed, total = sums_of(np.random.default_rng(1), 30, plain._replace(add=meanwhile))
    disturbed()
    assert total.tobytes() == wanted.tobytes()


def test_a_call_is_inherited_by_a_fork():
    call, total = sums_of(np.random.default_rng(1), 30, kernel_or_skip())
    call()
    wanted = total.tobytes()
    child = os.fork()
    if not child:
        total[...] = 7
        call()
        os._exit(total.tobytes() != wanted)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("height", [24, 600, 3 * PACKED // 70 + 5])
def test_vectors_are_packed_a_part_at_a_time(height):
    """More of them than there is room for at once have the bits that they have in small parts."""
    rng = np.random.default_rng(1)
    kernel, multiple = kernel_or_skip(), chosen().multiple
    tiles = PackedTiles(kernel, chosen(), [drawn(rng, rows, 19 // multiple * multiple) for rows in (40, 30)])
    x = drawn(rng, height, 70)
    whole, parts = np.empty((2, height, tiles.cols), np.float32)
    PackedSums(tiles, x, whole, False, False)()
    for low in range(0, height, 100):
        PackedSums(tiles, x[low : low + 100], parts[low : low + 100], False, False)()
    assert whole.tobytes() == parts.tobytes()


@settings(max_examples=examples(60, 1000), deadline=None)
@given(
    box=st.lists(st.integers(1, 5) | st.sampled_from([8, 16, 24, 112]), min_size=1, max_size=3),
    gaps=st.lists(st.integers(0, 3), min_size=3, max_size=3),
    turned=st.booleans(),
    rows=st.integers(1, 140),
    cols=st.sampled_from([16, 48, 64, 160]),
    seed=st.integers(0, 99),
)
@example(box=[14, 112], gaps=[0, 3, 1], turned=False, rows=98, cols=64, seed=0)
@example(box=[7, 7], gaps=[0, 3, 0], turned=False, rows=128, cols=128, seed=0)
def test_vectors_may_stand_in_lines_or_anywhere(box, gaps, turned, rows, cols, seed):
    """Windows of an image, for instance, overlap: a line of them is a matrix, several are not."""
    rng = np.random.default_rng(seed)
    count = int(np.prod(box))
    tiles = PackedTiles(kernel_or_skip(), chosen(), [drawn(rng, rows, cols)])
    spaced = [size + gap for size, gap in zip([*box, rows], [*gaps[-len(box) :], gaps[0]], strict=True)]
    x = drawn(rng, *spaced)[tuple(slice(size) for size in (*box, rows))]
    if turned:
        x = np.moveaxis(x, 0, -2)
    found, wanted = np.empty((2, count, cols), np.float32)
    PackedSums(tiles, x, found, False, False)()
    PackedSums(tiles, np.ascontiguousarray(x).reshape(count, rows), wanted, False, False)()
    assert found.tobytes() == wanted.tobytes()


def test_a_kernel_with_other_bits_is_not_taken(monkeypatch):
    right = kernel_or_skip()

    def rounded(*arguments):
        right.add(*arguments)
        right.add(*arguments)

    for wrong in (right._replace(add=rounded), right._replace(pack_weights=right.pack_vectors), None):
        monkeypatch.setattr(probe, "kernel", lambda wrong=wrong: wrong)
        assert probe.packed.__wrapped__(chosen()) is None
    assert packed(Einsum()) is None


def test_only_kernels_that_have_been_tried_are_looked_for(monkeypatch):
    """Of another kind of processor even the names of its functions are not asked for."""
    asked = []

    def function(*names):
        asked.append(names)
        return Kind()

    class Kind:
        def __call__(self):
            return b"SomethingNew"

    monkeypatch.setattr(blas, "function_of", function)
    assert blas.kernel.__wrapped__() is None
    assert asked and all(set(names) <= set(blas.KINDS) for names in asked)


def test_stacked_tiles_are_multiplied_at_once():
    """A tile of more rows than the kernel is given goes through NumPy."""
    rng = np.random.default_rng(3)
    weights = drawn(rng, 2 * INNER, 16)
    sums = float_sums.FloatSums(PLAIN, [weights], [(0, 2 * INNER)], 16)
    total, x = np.empty((5, 16), np.float32), drawn(rng, 5, 2 * INNER)
    sums.multiply(total, x, False, False)
    assert total.tobytes() == np.matmul(x, weights).tobytes()
