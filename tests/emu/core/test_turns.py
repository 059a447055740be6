"""Loops that only add up floats: one call, in the order of the loop, to the bit."""

import numpy as np
import pytest
from core_nests import IN, OUT, SCRATCH, C, F, H, Nest, W, at, floats
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.core.batch import turns
from emu.isa.address import Address as A
from emu.isa.address import Term


def signed(*shape):
    """Floats of which some are zeros of either sign."""
    values = floats(*shape)
    values[np.abs(values) < 0.2] = -0.0
    values[values > 1.2] = 0.0
    return values


@settings(max_examples=examples(60, 200), deadline=None)
@given(
    st.sampled_from(["vvadd", "vvsub", "vvmul", "vvmax", "vvmin"]),
    st.integers(1, 9),
    st.integers(2, 40),
    st.integers(1, 3),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1, 7, 1 << 15]),
)
def test_every_order_of_operands_and_loops_has_the_bits_of_the_steps(name, n, rows, outer, swapped, inside, block):
    """`inside`: the sums move in the outer loop, else both loops add to the same place."""

    def write(b):
        with b.loop(outer), b.loop(rows):
            total = A(OUT, (Term(0, 4 * n),) if inside else ())
            other = A(IN, (Term(0, rows * n * 4), Term(1, n * 4)))
            b.emit(name, F, (total, *((other, total) if swapped else (total, other))), n=n)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turns, "BLOCK", block)
        Nest(write, {IN: signed(outer, rows, n), OUT: signed(outer, n)})


@pytest.mark.parametrize("name, calls", [("vvadd", 2), ("vvmul", 2), ("vvsub", 2 * H), ("vvmax", 2 * H)])
def test_what_may_change_sides_is_one_call(name, calls):
    def write(b):
        with b.loop(H):
            b.emit(name, F, (A(OUT), A(IN, (Term(0, C * 4),)), A(OUT)), n=C)

    nest = Nest(write, {IN: signed(H, C), OUT: signed(C)})
    assert nest.whole and nest.statistics.kernels == calls


def test_sums_beside_other_work_and_in_places_of_their_own():
    """Squares into scratch, sums of them per line in scratch of the line, then kept."""

    def write(b):
        with b.loop(H):
            b.emit("lldi", (), (A(SCRATCH),), byte=0, size=C * 4)
            with b.loop(W):
                x = at(IN, W * C * 4, C * 4)
                b.emit("vvmul", F, (A(SCRATCH + 64), x, x), n=C)
                b.emit("vvadd", F, (A(SCRATCH), A(SCRATCH), A(SCRATCH + 64)), n=C)
            b.emit("vrelu", F, (A(OUT, (Term(0, C * 4),)), A(SCRATCH)), n=C)

    values = floats(H, W, C)
    nest = Nest(write, {IN: values})
    assert nest.whole and nest.statistics.kernels == 2 * 4
    np.testing.assert_allclose(nest.array(OUT, (H, C)), (values**2).sum(1), rtol=1e-5)


@pytest.mark.parametrize(
    "operands, n",
    [
        ((A(OUT), A(OUT), A(OUT + 4, (Term(0, 4),))), 1),  # what is added is what was written, or will be
        ((A(OUT), A(OUT), A(OUT)), C),
        ((A(OUT), A(IN), A(IN, (Term(0, C * 4),))), C),  # nothing adds up
        ((A(OUT, (Term(0, 4),)), A(OUT, (Term(0, 4),)), A(IN)), 1),
        ((A(OUT), A(OUT), A(IN, (Term(0, 4),))), turns.LARGEST_SUM + 1),
    ],
)
def test_what_is_no_such_sum_is_what_it_was(operands, n):
    def write(b):
        with b.loop(H):
            b.emit("vvadd", F, operands, n=n)

    Nest(write, {IN: signed(2 * turns.LARGEST_SUM), OUT: signed(2 * turns.LARGEST_SUM)})


@pytest.mark.parametrize("n", [1, C])
def test_a_sum_of_negative_zeros_is_one(n):
    def write(b):
        with b.loop(H):
            b.emit("vvadd", F, (A(OUT), A(OUT), A(IN, (Term(0, C * 4),))), n=n)

    nest = Nest(write, {IN: np.full((H, C), -0.0, np.float32), OUT: np.full(C, -0.0, np.float32)})
    assert np.signbit(nest.array(OUT, (n,))).all()
