"""Factors that take drift back: what they leave alone, and what they undo."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.analog.compensation import factors


@given(st.integers(1, 6), st.integers(1, 6), st.floats(0.01, 10), st.sampled_from(["global", "column"]))
def test_drift_that_is_the_same_everywhere_is_undone(rows: int, cols: int, share: float, how: str):
    weights = np.random.default_rng(rows * 7 + cols).normal(size=(rows, cols))
    scaled = (weights * share) * factors(weights, weights * share, how)
    assert np.allclose(scaled, weights, rtol=1e-12)


def test_columns_are_scaled_one_by_one_and_a_group_as_a_whole():
    weights = np.array([[1.0, -2.0], [3.0, 2.0]])
    aged = weights * [0.5, 0.25]
    assert np.array_equal(factors(weights, aged, "column"), [2.0, 4.0])
    assert np.array_equal(factors(weights, aged, "global"), [8 / 3])
    assert factors(weights, aged, "none") == factors(weights, aged, None) == 1.0


def test_signs_of_responses_do_not_cancel():
    weights = np.array([[1.0], [-1.0]])
    assert np.array_equal(factors(weights, weights / 2, "column"), [2.0])
    assert np.array_equal(factors(np.vstack((weights, -weights)), np.vstack((weights, -weights)) / 2, "global"), [2.0])


@pytest.mark.parametrize("how", ["global", "column"])
def test_what_gives_no_response_is_left_alone(how: str):
    nothing = np.zeros((3, 2))
    assert np.all(factors(nothing, nothing, how) == 1.0)
    assert np.all(factors(nothing + 1, nothing, how) == 1.0)


@pytest.mark.parametrize("how", ["global", "column"])
def test_the_factors_are_those_of_aihwkit(how: str):
    """Its readout: the mean of magnitudes of outputs for the rows of an identity, of all columns or of each."""
    draw = np.random.default_rng(3)
    weights = draw.normal(size=(12, 5))
    aged = weights * draw.uniform(0.5, 0.9, size=weights.shape)
    before, now = (np.abs(np.eye(12) @ read) for read in (weights, aged))
    expected = before.mean() / now.mean() if how == "global" else before.mean(axis=0) / now.mean(axis=0)
    assert np.allclose(factors(weights, aged, how), expected, rtol=1e-12)
