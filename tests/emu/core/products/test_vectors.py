"""One vector alone: the bits that it has among others, and a way without the function that it needs."""

import numpy as np
import pytest
from draws import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

from emu.arch import Arch
from emu.core.crossbars import float_sums
from emu.core.crossbars.crossbar import make_crossbar
from emu.core.crossbars.float_sums import MANY, FloatSums
from emu.core.crossbars.origin import Origin, Position
from emu.core.products import probe
from emu.core.products.packed import PackedTiles
from emu.core.products.probe import chosen, lone, packed
from emu.core.products.vectors import LARGE, VectorProducts
from emu.core.products.ways import INNER, Einsum
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec

F32 = DType.f32
HERE = Origin(Position(0), 0)


def drawn(rows, cols, seed):
    return np.random.default_rng(seed).standard_normal((rows, cols), np.float32)


def alone_or_skip():
    function = lone(chosen())
    if function is None:
        pytest.skip("the BLAS of this machine has no product that goes through rows in order")
    return function


@settings(max_examples=examples(40, 2000))
@given(
    heights=st.lists(st.integers(1, INNER), min_size=1, max_size=4),
    cols=st.integers(1, 70).map(lambda count: 16 * count),
    seed=st.integers(0, 99),
)
@example(heights=[128, 128, 128, 128], cols=128, seed=0)  # where they stand, in pieces of rows and columns
@example(heights=[256], cols=1024, seed=0)
def test_a_vector_has_the_bits_that_it_has_among_others(heights, cols, seed):
    tiles = [drawn(height, cols, seed + k) for k, height in enumerate(heights)]
    products = VectorProducts(alone_or_skip(), tiles)
    vectors, edges = drawn(3, sum(heights), seed), np.cumsum([0, *heights])
    for vector in vectors[[0, 2]]:  # what was there before changes nothing
        products.x[...] = vector
        sums = products.multiply()
        for k, tile in enumerate(tiles):
            part = np.ascontiguousarray(vectors[:, edges[k] : edges[k + 1]])
            row = np.flatnonzero((vectors == vector).all(axis=1))[0]
            whole = chosen().multiply(part, chosen().factor(tile), cols, np.empty((3, cols), np.float32))
            assert sums[k].tobytes() == whole[row].tobytes()


def test_what_is_no_number_stays_in_its_sums_and_leaves_no_trace():
    weights = drawn(20, 32, 1)
    products = VectorProducts(alone_or_skip(), [weights])
    products.x[...] = np.inf
    assert not np.isfinite(products.multiply()[0]).any()
    products.x[...] = 1
    np.testing.assert_allclose(products.multiply()[0], weights.sum(axis=0), rtol=1e-4, atol=1e-5)


def made(rows=(128, 40), cols=21):
    spec = GroupSpec(F32, F32, F32, rows, (cols,))
    weights = np.zeros((spec.rows, spec.padded_cols), np.float32)
    weights[:, :cols] = drawn(spec.rows, cols, 7)
    crossbar = make_crossbar(spec, Arch())
    crossbar.program(weights, 0, 0)
    return crossbar


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_a_crossbar_needs_no_such_function(monkeypatch, accumulate, relu, kind):
    """Alone, among others, and where the BLAS has nothing for one vector; sums may stand where the vector stood."""
    results = []
    for function, kernel in ((lone, packed), (lone, lambda way: None), (lambda way: None, lambda way: None)):
        monkeypatch.setattr(float_sums, "lone", function)
        monkeypatch.setattr(float_sums, "packed", kernel)
        crossbar = made()
        memory = drawn(3, crossbar.spec.rows, 3)
        start = drawn(3, 21, 4).astype(kind)
        among, single = start.copy(), start[1:2].copy()
        crossbar.multiply(among, memory, accumulate, relu, HERE)
        crossbar.multiply(single, memory[1:2], accumulate, relu, HERE)
        assert single.tobytes() == among[1:2].tobytes()
        results.append(single.tobytes())
        if kind is np.float32:
            row = memory[1].copy()
            row[:21] = start[1]
            crossbar.multiply(expected := start[1].copy(), row.copy(), accumulate, relu, HERE)
            crossbar.multiply(row[:21], row, accumulate, relu, HERE)
            assert row[:21].tobytes() == expected.tobytes()
    assert len(set(results)) == 1


def test_a_vector_follows_what_is_written():
    crossbar = made()
    x, before, after = drawn(1, crossbar.spec.rows, 5)[0], np.empty(21, np.float32), np.empty(21, np.float32)
    crossbar.multiply(before, x, False, False, HERE)
    crossbar.write(3, np.zeros((4, 21), np.float32), HERE)
    crossbar.multiply(after, x, False, False, HERE)
    x[3:7] = 0
    crossbar.multiply(before, x, False, False, HERE)
    np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-5)


def test_large_tiles_are_packed_for_many_vectors_only(monkeypatch):
    """The bits stay; until then they are multiplied where they stand."""
    alone_or_skip()
    made = []
    monkeypatch.setattr(float_sums, "PackedTiles", lambda *of: made.append(PackedTiles(*of)) or made[-1])
    weights = drawn(LARGE // 128, 128, 1)
    sums = FloatSums(chosen(), [weights[:256], weights[256:]], [(0, 256), (256, len(weights))], 128)
    x, found = drawn(1, len(weights), 2), set()
    for k in range(MANY + 2):
        total = np.empty((1, 128), np.float32)
        sums.multiply(total, x, False, False)
        found.add(total.tobytes())
        assert not made or k >= MANY
    assert len(found) == 1
    assert len(made) == (packed(chosen()) is not None)


def test_a_function_with_other_bits_is_not_taken(monkeypatch):
    class Turned(Einsum):
        def multiply(self, x, factor, cols, out=None):
            return super().multiply(x[..., ::-1].copy(), factor[..., ::-1, :], cols, out)

    alone_or_skip()
    assert probe.lone.__wrapped__(Turned()) is None
    monkeypatch.setattr(probe, "banded", lambda: None)
    assert probe.lone.__wrapped__(chosen()) is None
