"""Rings, recurrences, orders, sizes and written crossbars: which nests are planned whole, and what they give."""

import gc
import weakref
from unittest.mock import patch

import numpy as np
import pytest
from core_nests import COL, IN, OUT, RNG, SCRATCH, C, F, H, N, Nest, W, at, crossbars, floats

from emu.core.batch import engine
from emu.core.batch.access import Unplannable
from emu.isa.address import Address as A
from emu.isa.address import Term
from emu.isa.dtypes import DType


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


def test_a_loop_that_has_never_been_planned_is_given_up():
    """Each turn of the outer loop would need a plan of its own; after so many failures nobody looks for one."""
    turns = engine.HOPELESS + 3

    def write(b):
        with b.loop(turns):
            b.emit("sync", core=1, event=0)
            with b.loop(W):
                b.emit("vsadd", F, (A(OUT, (Term(0, W * 4), Term(1, 4))), at(IN, 0, 4)), n=1, imm=1.0)

    image = floats(W)
    with patch.object(engine, "make_plan", side_effect=Unplannable) as looked_for:
        nest = Nest(write, {IN: image})
    assert looked_for.call_count == engine.HOPELESS and nest.statistics.plans == 0
    np.testing.assert_array_equal(nest.array(OUT, (turns, W)), np.tile(image + 1, (turns, 1)))
    assert Nest(write, {IN: image}).statistics.plans == turns


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
    assert nest.statistics.kernels == 2  # floats are added in their order, in one call, too
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

    nest = Nest(write, {IN: inputs}, memory=1 << 22)
    assert nest.whole and nest.statistics.plans == 1
    assert nest.statistics.kernels > 2 * 2 * 3  # several chunks per sample
    got = nest.array(2_000_000, (pixels,))
    np.testing.assert_allclose(got[[0, 2999]], [inputs[:8].sum(), inputs[2999:3007].sum()], rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(nest.array(1_200_000, (8, 64)), inputs[2999:3007])


def test_long_vectors_are_single_calls():
    n = 1 << 18
    x = floats(n)

    def write(b):
        b.emit("vsigm", F, (A(8 * n), A(0)), n=n)
        b.emit("vsum", F, (A(16 * n), A(8 * n)), n=n)

    nest = Nest(write, {0: x}, memory=1 << 23)
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
    held = [weakref.ref(group) for group in nest.batch.state.groups] + [weakref.ref(nest.batch.state)]
    del nest
    gc.collect()
    assert [reference() for reference in held] == [None, None]
