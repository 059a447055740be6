"""Products of matrices on the digital unit: exact for integers, sums of partial sums for floats; any strides."""

from itertools import product

import numpy as np
import pytest
from core_nests import Nest
from core_values import values, wrap

from emu.core.crossbars.kinds.ideal import IdealCrossbar
from emu.core.crossbars.origin import Origin, Position
from emu.isa.address import Address, Term
from emu.isa.dtypes import FLOATS, INTEGERS
from emu.isa.dtypes import DType as T
from emu.program.group import GroupSpec

RNG = np.random.default_rng(5)
TOKENS, HEADS, SIZE = 9, 3, 5  # elements of a head
Q, K, V, SCORES, OUT = 0, 20_000, 80_000, 100_000, 120_000


def exact(a, b, start, dtype):
    rows = [[sum(int(x) * int(y) for x, y in zip(row, column, strict=True)) for column in b.T] for row in a]
    return [wrap(rows[i][j] + int(start[i, j]), dtype) for i in range(len(rows)) for j in range(len(rows[0]))]


@pytest.mark.parametrize("flags", [(), ("acc",)])
@pytest.mark.parametrize("types", list(product(sorted(INTEGERS), sorted(INTEGERS), (T.i8, T.i32, T.i64))))
def test_integers_are_exact_and_wrap(types, flags, go):
    m, k, n = 3, 11, 4
    a, b = values(types[0], m * k, seed=2).reshape(m, k), values(types[1], k * n, seed=1).reshape(k, n)
    start = values(types[2], m * n, seed=3).reshape(m, n)
    got = go("mmul", types, [a, b], start, flags=flags, m=m, k=k, n=n)
    assert got.tolist() == exact(a, b, start if flags else 0 * start, types[2])


def test_long_sums_of_the_largest_integers_are_exact(go):
    for left, right in ((T.u8, T.u8), (T.i8, T.u8), (T.i16, T.i16), (T.i32, T.i16), (T.i32, T.i32)):
        a, b = np.full(300, np.iinfo(left.numpy).min or 255, left.numpy), np.full(300, 255, right.numpy)
        b[:] = np.iinfo(right.numpy).min or 255
        got = go("mmul", [left, right, T.i64], [a[:200], b[:200]], np.zeros(1, np.int64), m=1, k=200, n=1)
        assert got[0] == wrap(200 * int(a[0]) * int(b[0]), T.i64)


@pytest.mark.parametrize("bits", [(3, 6), (10, 10), (11, 11), (24, 25), (25, 25), (31, 31)])
@pytest.mark.parametrize("types", [(T.i32, T.i32, T.i32), (T.i32, T.i32, T.i64), (T.i64, T.i32, T.i64)])
def test_sums_are_exact_up_to_what_f32_and_f64_hold_and_beyond(types, bits, go):
    """Seven products whose sums are just below 2^24 and 2^53, just above, and odd: they would be rounded."""
    a, b = (-(2**bit) + np.arange(14).reshape(2, 7) % 3 for bit in bits)
    a, b = a.astype(types[0].numpy), b.T.astype(types[1].numpy)
    got = go("mmul", types, [a, b], np.zeros((2, 2), types[2].numpy), m=2, k=7, n=2)
    assert got.reshape(-1).tolist() == exact(a, b, np.zeros((2, 2), np.int64), types[2])


@pytest.mark.parametrize("flags", [(), ("acc",)])
@pytest.mark.parametrize("types", list(product(sorted(FLOATS), repeat=3)))
def test_floats_are_close(types, flags, go):
    m, k, n = 2, 150, 3
    a, b = (RNG.standard_normal(shape).astype(kind.numpy) for shape, kind in zip(((m, k), (k, n)), types, strict=False))
    start = RNG.standard_normal((m, n)).astype(types[2].numpy)
    got = go("mmul", types, [a, b], start, flags=flags, m=m, k=k, n=n).reshape(m, n).astype(np.float64)
    expected = a.astype(np.float64) @ b.astype(np.float64) + (start if flags else 0)
    np.testing.assert_allclose(got, expected, rtol=1e-5 if T.f16 not in types[2:] else 2e-3, atol=2e-5)


@pytest.mark.few(4)
@pytest.mark.parametrize("flags", [(), ("acc",)])
@pytest.mark.parametrize("shape", [(1, 64, 10), (5, 128, 16), (7, 300, 33), (3, 256, 1), (2, 1, 5)])
def test_floats_are_those_of_crossbars_of_128_rows(shape, flags):
    m, k, n = shape
    a, b = RNG.standard_normal((m, k)).astype(np.float32), RNG.standard_normal((k, n)).astype(np.float32)
    start = RNG.standard_normal((m, n)).astype(np.float32)
    spec = GroupSpec(T.f32, T.f32, T.f32, tuple(min(128, k - low) for low in range(0, k, 128)), (n,))
    weights = np.zeros((k, spec.padded_cols), np.float32)
    weights[:, :n] = b
    crossbar, expected = IdealCrossbar(spec), start.copy()
    crossbar.program(weights, 0, 0)
    crossbar.multiply(expected, a, bool(flags), False, Origin(Position(0), 0))

    def write(builder):
        builder.emit("lmv", (), (Address(OUT), Address(SCORES)), size=start.nbytes)
        builder.emit("mmul", (T.f32,) * 3, (Address(OUT), Address(Q), Address(K)), flags, m=m, k=k, n=n)

    nest = Nest(write, {Q: a, K: b, SCORES: start})
    assert nest.array(OUT, (m, n)).tobytes() == expected.tobytes()


def test_nothing_to_multiply(go):
    start = np.array([1, 2, 3, 4], np.float32)
    for flags, expected in (((), [0, 0, 0, 0]), (("acc",), [1, 2, 3, 4])):
        got = go("mmul", [T.f32] * 3, [start, start], start, flags=flags, m=2, k=0, n=2)
        assert got.tolist() == expected
    assert go("mmul", [T.f32] * 3, [start, start], start, m=0, k=2, n=2).tolist() == [1, 2, 3, 4]


def test_heads_of_attention_need_no_copies_and_are_one_call_each():
    """Scores of all heads, from [tokens][heads x elements] as they are; keys are read as columns."""
    q, k, v = (RNG.standard_normal((TOKENS, HEADS, SIZE)).astype(np.float32) for _ in range(3))

    def head(base, step):
        return base, (Term(0, step),)

    def write(b):
        with b.loop(HEADS):
            scores = Address(*head(SCORES, TOKENS * TOKENS * 4))
            queries = Address(*head(Q, SIZE * 4), pitch=HEADS * SIZE)
            keys = Address(*head(K, SIZE * 4), stride=HEADS * SIZE, pitch=1)
            b.emit("mmul", (T.f32,) * 3, (scores, queries, keys), m=TOKENS, k=SIZE, n=TOKENS)
            out = Address(*head(OUT, SIZE * 4), pitch=HEADS * SIZE)
            values = Address(*head(V, SIZE * 4), pitch=HEADS * SIZE)
            b.emit("mmul", (T.f32,) * 3, (out, scores, values), m=TOKENS, k=TOKENS, n=SIZE)

    nest = Nest(write, {Q: q, K: k, V: v})
    assert nest.whole and nest.statistics.kernels == 2 * 2
    scores = np.einsum("thd,uhd->htu", q, k)
    np.testing.assert_allclose(nest.array(SCORES, (HEADS, TOKENS, TOKENS)), scores, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        nest.array(OUT, (TOKENS, HEADS, SIZE)), np.einsum("htu,uhd->thd", scores, v), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("m", [1, 2])
def test_rows_that_share_a_matrix_are_one_product(m):
    x, w = RNG.standard_normal((6 * m, 200)).astype(np.float32), RNG.standard_normal((200, 20)).astype(np.float32)

    def write(b):
        with b.loop(6):
            out, source = Address(OUT, (Term(0, m * 80),)), Address(Q, (Term(0, m * 800),))
            b.emit("mmul", (T.f32,) * 3, (out, source, Address(K)), m=m, k=200, n=20)

    nest = Nest(write, {Q: x, K: w})
    assert nest.whole and nest.statistics.kernels == 2
    np.testing.assert_allclose(nest.array(OUT, (6 * m, 20)), x @ w, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("which", [1, 2])
def test_a_product_may_replace_one_of_its_factors(which):
    a, b = (RNG.integers(-9, 9, (4, 4)).astype(np.int32) for _ in range(2))

    def write(builder):
        with builder.loop(2):
            places = [Address(base, (Term(0, 64),)) for base in (Q, K)]
            builder.emit("mmul", (T.i32,) * 3, (places[which - 1], *places), m=4, k=4, n=4)

    nest = Nest(write, {Q: np.stack([a, b]), K: np.stack([b, a])})  # two samples: it is replaced twice
    assert nest.whole
    expected = [a @ b @ b, b @ a @ a] if which == 1 else [a @ a @ b, b @ b @ a]
    np.testing.assert_array_equal(nest.array((Q, K)[which - 1], (2, 4, 4), np.int32), np.stack(expected))
