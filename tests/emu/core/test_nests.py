"""The nests that compilers emit run as array operations, all loops of them, and give what NumPy gives."""

import gc
import weakref

import numpy as np
import pytest
from core_nests import Nest

from emu.isa.address import Address as A
from emu.isa.address import Term
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec

F = (DType.f32,)
RNG = np.random.default_rng(3)
H, W, C, N = 9, 10, 4, 6
IN, COL, BIAS, OUT, SCRATCH = 0, 40_000, 44_000, 48_000, 80_000


def at(base, y=0, x=0, stride=1):
    """An address in two loops."""
    return A(base, tuple(Term(loop, step) for loop, step in ((0, y), (1, x)) if step), stride=stride)


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def crossbars(rows, cols, tile=20):
    tiles = tuple(min(tile, rows - start) for start in range(0, rows, tile))
    spec = GroupSpec(DType.f32, DType.f32, DType.f32, tiles, (cols,))
    weights = np.zeros((rows, spec.padded_cols), np.float32)
    weights[:, :cols] = floats(rows, cols)
    return spec, weights


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("groups", [1, 2])
def test_convolution(stride, groups):
    k = 3
    image = floats(stride * H + k, stride * W + k, C)
    row = image.shape[1] * C * 4
    found = [crossbars(k * k * C, N) for _ in range(groups)]
    bias = floats(N)

    def write(b):
        with b.loop(H), b.loop(W):
            for part in range(k):
                source = at(IN + part * row, stride * row, stride * C * 4)
                b.emit("lmv", (), (A(COL + part * k * C * 4), source), size=k * C * 4)
            for group in range(groups):
                out = at(OUT + 8000 * group, W * N * 4, N * 4)
                b.emit("mvmul", F * 2, (out, A(COL)), group=group)
                b.emit("vvadd", F, (out, out, A(BIAS)), n=N)
                b.emit("vrelu", F, (out, out), n=N)

    nest = Nest(write, {IN: image, BIAS: bias}, *zip(*found, strict=True))
    assert nest.whole and nest.statistics.plans == 1 and nest.statistics.expanded == 1
    windows = np.lib.stride_tricks.sliding_window_view(image, (k, k), (0, 1))[::stride, ::stride][:H, :W]
    columns = windows.transpose(0, 1, 3, 4, 2).reshape(H, W, -1)
    for group, (_, weights) in enumerate(found):
        expected = np.maximum(columns @ weights[:, :N] + bias, 0)
        np.testing.assert_allclose(nest.array(OUT + 8000 * group, (H, W, N)), expected, rtol=1e-4, atol=1e-4)


def test_convolution_that_accumulates_kernel_rows():
    k, image = 3, floats(H + 2, W + 2, C)
    row, (spec, weights) = (W + 2) * C * 4, crossbars(3 * C, N)

    def write(b):
        with b.loop(H), b.loop(W):
            out = at(OUT, W * N * 4, N * 4)
            b.emit("lldi", (), (out,), byte=0, size=N * 4)
            for part in range(k):
                b.emit("mvmul", F * 2, (out, at(IN + part * row, row, C * 4)), ("acc",), group=0)

    nest = Nest(write, {IN: image}, [spec], [weights])
    assert nest.whole and nest.statistics.expanded == 0
    windows = np.lib.stride_tricks.sliding_window_view(image, 3, 1).transpose(0, 1, 3, 2).reshape(H + 2, W, -1)
    expected = sum(windows[part : part + H] @ weights[:, :N] for part in range(3))
    np.testing.assert_allclose(nest.array(OUT, (H, W, N)), expected, rtol=1e-4, atol=1e-4)


def test_pointwise_convolution():
    image, (spec, weights) = floats(H * W, C), crossbars(C, N)

    def write(b):
        with b.loop(H), b.loop(W):
            b.emit("mvmul", F * 2, (at(OUT, W * N * 4, N * 4), at(IN, W * C * 4, C * 4)), ("relu",), group=0)

    nest = Nest(write, {IN: image}, [spec], [weights])
    assert nest.whole and nest.statistics.kernels == 2
    np.testing.assert_allclose(nest.array(OUT, (H * W, N)), np.maximum(image @ weights[:, :N], 0), rtol=1e-4, atol=1e-5)


def test_padding_and_interleaving_copies():
    a, b_ = floats(H, W, C), floats(H, W, N)

    def write(b):
        with b.loop(H):
            b.emit("lmv", (), (at(OUT + ((W + 2) + 1) * C * 4, (W + 2) * C * 4), at(IN, W * C * 4)), size=W * C * 4)
        with b.loop(H), b.loop(W):
            wide = (C + N) * 4
            b.emit("lmv", (), (at(SCRATCH, W * wide, wide), at(IN, W * C * 4, C * 4)), size=C * 4)
            b.emit("lmv", (), (at(SCRATCH + C * 4, W * wide, wide), at(COL, W * N * 4, N * 4)), size=N * 4)

    nest = Nest(write, {IN: a, COL: b_, OUT: np.zeros((H + 2, W + 2, C), np.float32)})
    assert nest.whole
    np.testing.assert_array_equal(nest.array(OUT, (H + 2, W + 2, C)), np.pad(a, ((1, 1), (1, 1), (0, 0))))
    np.testing.assert_array_equal(nest.array(SCRATCH, (H, W, C + N)), np.concatenate([a, b_], -1))


def test_max_pooling():
    image = floats(2 * H + 1, 2 * W + 1, C)
    row = (2 * W + 1) * C * 4

    def write(b):
        for y in range(3):
            for x in range(3):
                with b.loop(H), b.loop(W):
                    acc, source = at(OUT, W * C * 4, C * 4), at(IN + y * row + x * C * 4, 2 * row, 2 * C * 4)
                    if (y, x) == (0, 0):
                        b.emit("lmv", (), (acc, source), size=C * 4)
                    else:
                        b.emit("vvmax", F, (acc, acc, source), n=C)

    nest = Nest(write, {IN: image})
    assert nest.whole and nest.statistics.units == 18
    expected = np.lib.stride_tricks.sliding_window_view(image, (3, 3), (0, 1))[::2, ::2].max((-2, -1))
    np.testing.assert_array_equal(nest.array(OUT, (H, W, C)), expected)


def test_pooling_window_as_inner_loops_is_iterated_inside_of_the_plan():
    image = floats(2 * H, 2 * W, C)
    row = 2 * W * C * 4

    def write(b):
        with b.loop(H), b.loop(W):
            acc = at(OUT, W * C * 4, C * 4)
            b.emit("lldi", (), (acc,), byte=0xFF, size=0)
            b.emit("lmv", (), (acc, at(IN, 2 * row, 2 * C * 4)), size=C * 4)
            with b.loop(2), b.loop(2):
                window = A(IN, (Term(0, 2 * row), Term(1, 2 * C * 4), Term(2, row), Term(3, C * 4)))
                b.emit("vvmax", F, (acc, acc, window), n=C)

    nest = Nest(write, {IN: image})
    assert nest.whole and nest.statistics.sequential == 2
    np.testing.assert_array_equal(nest.array(OUT, (H, W, C)), image.reshape(H, 2, W, 2, C).max((1, 3)))


def test_global_average_pooling():
    image = floats(H * W, C)

    def write(b):
        with b.loop(C):
            b.emit("vavg", F, (at(OUT, 4), at(IN, 4, stride=C)), n=H * W)

    nest = Nest(write, {IN: image})
    assert nest.whole and nest.statistics.kernels == 2
    np.testing.assert_allclose(nest.array(OUT, (C,)), image.mean(0), rtol=1e-4, atol=1e-5)


def test_softmax_per_pixel_with_scratch():
    logits = floats(H, W, N)

    def write(b):
        with b.loop(H), b.loop(W):
            x, y = at(IN, W * N * 4, N * 4), at(OUT, W * N * 4, N * 4)
            t, one = A(SCRATCH), A(SCRATCH, stride=0)
            b.emit("vrmax", F, (t, x), n=N)
            b.emit("vvsub", F, (y, x, one), n=N)
            b.emit("vexp", F, (y, y), n=N)
            b.emit("vsum", F, (t, y), n=N)
            b.emit("vvdiv", F, (y, y, one), n=N)

    nest = Nest(write, {IN: logits})
    assert nest.whole and nest.statistics.expanded == 1
    e = np.exp(logits - logits.max(-1, keepdims=True))
    np.testing.assert_allclose(nest.array(OUT, (H, W, N)), e / e.sum(-1, keepdims=True), rtol=1e-5)


def test_rows_in_a_scratch_buffer_between_loops_of_different_depth():
    image, (spec, weights) = floats(H, W, C), crossbars(3 * C, N)
    row = (W + 2) * C * 4

    def write(b):
        with b.loop(H):
            b.emit("lldi", (), (A(COL),), byte=0, size=row)
            b.emit("lmv", (), (A(COL + C * 4), at(IN, W * C * 4)), size=W * C * 4)
            with b.loop(W):
                b.emit("mvmul", F * 2, (at(OUT, W * N * 4, N * 4), at(COL, 0, C * 4)), group=0)
            b.emit("vrelu", F, (at(OUT, W * N * 4), at(OUT, W * N * 4)), n=W * N)

    nest = Nest(write, {IN: image}, [spec], [weights])
    assert nest.whole and nest.statistics.expanded == 1
    padded = np.pad(image, ((0, 0), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 3, 1).transpose(0, 1, 3, 2).reshape(H, W, -1)
    expected = np.maximum(windows @ weights[:, :N], 0)
    np.testing.assert_allclose(nest.array(OUT, (H, W, N)), expected, rtol=1e-4, atol=1e-4)


def test_a_ring_of_rows_needs_one_plan_per_position():
    def write(b):
        with b.loop(H):
            b.emit("nop")
            b.emit("sync", core=1, event=0)  # forces the outer loop to be stepped
            with b.loop(W):
                ring = A(OUT, (Term(0, W * 4, 2, 3), Term(1, 4)))
                b.emit("vsadd", F, (ring, at(IN, 0, 4)), n=1, imm=1.0)

    nest = Nest(write, {IN: floats(W)})
    assert nest.statistics.units == 2 * H and nest.statistics.plans == 3


def test_a_ring_of_rows_is_split_at_its_wraps():
    rows = 3 * H + 1

    def write(b):
        with b.loop(rows):
            target, source = (A(base, (Term(0, W * 4, 1, 3),)) for base in (SCRATCH, COL))
            b.emit("lmv", (), (target, at(IN, W * 4)), size=W * 4)
            b.emit("vsadd", F, (at(OUT, W * 4), source), n=W, imm=1.0)

    image, ring = floats(rows, W), floats(3, W)
    nest = Nest(write, {IN: image, COL: ring})
    assert nest.whole and nest.statistics.plans == 2  # all rounds, and the row that is left
    np.testing.assert_array_equal(nest.array(OUT, (rows, W)), ring[(np.arange(rows) + 1) % 3] + 1)
    np.testing.assert_array_equal(nest.array(SCRATCH, (3, W)), image[[rows - 2, rows - 1, rows - 3]])


def test_recurrence_is_iterated_inside_of_the_plan():
    def write(b):
        with b.loop(H):
            b.emit("vvadd", F, (at(IN + 4, 4), at(IN, 4), at(OUT, 4)), n=1)

    first, steps = floats(H + 1), floats(H)
    nest = Nest(write, {IN: first, OUT: steps})
    assert nest.whole and nest.statistics.sequential == 1 and nest.statistics.kernels == 2 * H
    np.testing.assert_array_equal(nest.array(IN, (H + 1,)), np.cumsum(np.append(first[:1], steps), dtype=np.float32))


def test_statements_beside_a_recurrence_are_vectorised():
    def write(b):
        with b.loop(H), b.loop(W):
            b.emit("vsmul", F, (at(SCRATCH, W * 4, 4), at(COL, W * 4, 4)), n=1, imm=2.0)
            b.emit("vvadd", F, (at(IN + W * 4, W * 4, 4), at(IN, W * 4, 4), at(SCRATCH, W * 4, 4)), n=1)
            b.emit("vrelu", F, (at(OUT, W * 4, 4), at(IN, W * 4, 4)), n=1)

    steps = floats(H, W)
    nest = Nest(write, {IN: np.zeros((H + 1, W), np.float32), COL: steps})
    assert nest.whole and nest.statistics.sequential == 1
    assert nest.statistics.kernels == 2 * (1 + H + 1)  # the columns of the recurrence are independent


def test_statements_change_places_where_that_removes_a_carried_dependence():
    def write(b):
        with b.loop(H):
            b.emit("vrelu", F, (at(OUT, 4), at(IN, 4)), n=1)
            b.emit("vsadd", F, (at(IN + 4, 4), at(COL, 4)), n=1, imm=1.0)

    nest = Nest(write, {IN: floats(H + 1), COL: floats(H)})
    assert nest.whole and nest.statistics.sequential == 0 and nest.statistics.kernels == 4


def test_registers_that_count_up_are_addresses():
    def write(b):
        b.emit("sldi", rd=1, imm=IN)
        with b.loop(H):
            b.emit("sldi", rd=2, imm=8)
            with b.loop(W):
                b.emit("vrelu", F, (at(OUT, W * 4, 4), A(0, reg=1)), n=1)
                b.emit("saddi", rd=1, rs1=1, imm=4)
            b.emit("sadd", rd=1, rs1=1, rs2=2)

    image = floats(H, W + 2)
    nest = Nest(write, {IN: image})
    assert nest.statistics.unplanned == 0 and nest.statistics.kernels == 2
    assert nest.batch.registers == nest.step.registers and nest.batch.registers[1] == IN + image.nbytes
    np.testing.assert_array_equal(nest.array(OUT, (H, W)), np.maximum(image[:, :W], 0))


@pytest.mark.parametrize("dtype, sequential", [(DType.i8, 0), (DType.f32, 1)])
def test_only_integer_sums_are_reordered(dtype, sequential):
    values = RNG.integers(-128, 128, (H, W, C)).astype(dtype.numpy)
    size = dtype.size

    def write(b):
        with b.loop(H), b.loop(W):
            acc, x = at(OUT, 0, C * size), at(IN, W * C * size, C * size)
            b.emit("vvadd", (dtype,), (acc, acc, x), n=C)

    nest = Nest(write, {IN: values, OUT: np.zeros((W, C), dtype.numpy)})
    assert nest.whole and nest.statistics.sequential == sequential
    assert nest.statistics.kernels == 2 * (H if sequential else 1)
    expected = 2 * values.astype(np.int64).sum(0) if dtype is DType.i8 else 2 * values.sum(0)
    np.testing.assert_array_equal(nest.array(OUT, (W, C), dtype.numpy), expected.astype(dtype.numpy))


def test_long_bodies_are_planned():
    rows = 600

    def write(b):
        with b.loop(W):
            for k in range(rows):
                b.emit("vrelu", F, (at(OUT + 64 * k, 4), at(IN + 64 * k, 4)), n=1)

    nest = Nest(write, {IN: floats(rows, 16)})
    assert nest.whole and nest.statistics.kernels == 2 * rows


def test_reading_ahead_of_the_writes_is_one_kernel():
    values = floats(H + 1)

    def write(b):
        with b.loop(H):
            b.emit("vsadd", F, (at(IN, 4), at(IN + 4, 4)), n=1, imm=0.0)

    nest = Nest(write, {IN: values})
    assert nest.whole
    np.testing.assert_array_equal(nest.array(IN, (H,)), np.append(values[2:], values[-1]))


def test_large_expansions_run_in_chunks():
    pixels, inputs = 3000, floats(3000 + 8, 64)

    def write(b):
        with b.loop(pixels):
            b.emit("lmv", (), (A(1_200_000), at(IN, 256)), size=8 * 256)
            b.emit("vsum", F, (at(2_000_000, 4), A(1_200_000)), n=8 * 64)

    nest = Nest(write, {IN: inputs})
    assert nest.whole and nest.statistics.plans == 1
    assert nest.statistics.kernels > 2 * 2 * 3  # several chunks per sample
    got = nest.array(2_000_000, (pixels,))
    np.testing.assert_allclose(got[[0, 2999]], [inputs[:8].sum(), inputs[2999:3007].sum()], rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(nest.array(1_200_000, (8, 64)), inputs[2999:3007])


def test_long_vectors_are_single_calls():
    n = 1 << 20
    x = floats(n)

    def write(b):
        b.emit("vsigm", F, (A(8 * n), A(0)), n=n)
        b.emit("vsum", F, (A(16 * n), A(8 * n)), n=n)

    nest = Nest(write, {0: x})
    assert nest.statistics.stepped == 4
    np.testing.assert_allclose(nest.array(8 * n, (n,)), 1 / (1 + np.exp(-x.astype(np.float64))), rtol=1e-5)


def test_weights_that_are_streamed_into_a_crossbar():
    """Per step of the outer loop: new weights, then products with them, all of the inner loop at once."""
    steps, (spec, cells) = 5, crossbars(8, N)
    matrices, vectors = floats(steps, 8, N), floats(steps, W, 8)

    def write(b):
        with b.loop(steps):
            b.emit("xbwrite", F, (at(COL, 8 * N * 4),), group=0, row=0, rows=8)
            with b.loop(W):
                b.emit("mvmul", F * 2, (at(OUT, W * N * 4, N * 4), at(IN, W * 32, 32)), group=0)

    nest = Nest(write, {IN: vectors, COL: matrices}, [spec], [cells])
    assert nest.whole and nest.statistics.kernels == 2 * 2 * steps
    np.testing.assert_allclose(nest.array(OUT, (steps, W, N)), vectors @ matrices, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("same", [False, True])
def test_only_products_with_the_group_that_is_written_are_iterated(same):
    found = [crossbars(8, N) for _ in range(2)]
    vectors, rows = floats(H, 8), floats(H, N)

    def write(b):
        with b.loop(H):
            b.emit("mvmul", F * 2, (at(OUT, N * 4), at(IN, 32)), group=0)
            b.emit("xbwrite", F, (at(COL, N * 4),), group=0 if same else 1, row=3, rows=1)

    nest = Nest(write, {IN: vectors, COL: rows}, *zip(*found, strict=True))
    assert nest.whole and nest.statistics.kernels == 2 * (2 * H if same else 1 + H)


def test_a_loop_that_may_trap_and_writes_crossbars_is_stepped():
    spec, cells = crossbars(2, N)

    def write(b):
        with b.loop(H):
            b.emit("xbwrite", F, (A(IN),), group=0, row=1, rows=1)
            b.emit("vvdiv", (DType.i32,), (A(OUT), A(COL), A(COL)), n=1)

    nest = Nest(write, {IN: floats(N), COL: np.ones(1, np.int32)}, [spec], [cells])
    assert nest.statistics.units == 0


def test_what_is_known_of_nests_keeps_no_core_alive():
    spec, cells = crossbars(8, N)

    def write(b):
        with b.loop(H):
            b.emit("mvmul", F * 2, (at(OUT, N * 4), at(IN, 32)), group=0)

    nest = Nest(write, {IN: floats(H, 8)}, [spec], [cells])
    assert nest.whole
    held = [weakref.ref(group) for group in nest.batch._state.groups] + [weakref.ref(nest.batch._state)]
    del nest
    gc.collect()
    assert [reference() for reference in held] == [None, None]
