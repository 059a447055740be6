"""Signal-to-noise ratios and relative errors: closed forms, and what is no number."""

from math import inf, log10, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from launch.analog.errors import KeptErrors, TensorError, snr

ARRAYS = hnp.arrays(np.float32, hnp.array_shapes(max_dims=3, max_side=6), elements=st.floats(-100, 100, width=32))


@pytest.mark.parametrize(("share", "db"), [(0.1, 20.0), (0.01, 40.0), (1.0, 0.0), (2.0, -20 * log10(2))])
def test_an_error_of_a_share_is_so_many_decibels(share: float, db: float) -> None:
    want = np.array([1.0, -2.0, 4.0])
    error = TensorError("y", 1)
    error.add(0, want * (1 + share), want)
    assert error.snr_db == pytest.approx(db) and error.relative == pytest.approx(share)


def test_a_sine_of_codes_has_the_ratio_of_its_bits() -> None:
    # An ideal converter of n bits: 6.02 n + 1.76 dB (Bennett 1948).
    bits, at = 10, np.linspace(0, 2 * np.pi * 137, 1_000_003)
    want = np.sin(at)
    step = 2 / 2**bits
    error = TensorError("y", 1)
    error.add(0, np.rint(want / step) * step, want)
    assert error.snr_db == pytest.approx(6.0206 * bits + 1.7609, abs=0.05)


@given(ARRAYS, st.integers(1, 4), st.integers(-8, 8))
def test_trials_add_up_and_scales_do_not_count(want: np.ndarray, trials: int, power: int) -> None:
    generator = np.random.default_rng(trials)
    error, scaled = TensorError("y", trials), TensorError("y", trials)
    total = np.zeros(2)
    for trial in range(trials):
        noise = generator.integers(-3, 4, want.shape)
        got = want.astype(np.float64) + noise
        error.add(trial, got, want)
        scaled.add(trial, got * 2.0**power, want.astype(np.float64) * 2.0**power)
        total += np.sum(want.astype(np.float64) ** 2), np.sum((got - want) ** 2)
    assert error.snr_db == pytest.approx(snr(*total)) == pytest.approx(scaled.snr_db)
    assert error.elements == want.size * trials and not error.odd
    if total.all():
        assert error.relative == pytest.approx(sqrt(total[1] / total[0]))


def test_what_equals_has_no_noise_and_what_is_no_number_is_counted_apart() -> None:
    same = TensorError("y", 1)
    same.add(0, np.ones(3, np.int8), np.ones(3, np.int8))
    assert same.snr_db == inf and same.to_dict()["snr_db"] == "inf" and same.relative == 0
    odd = TensorError("y", 1)
    odd.add(0, np.array([np.nan, 1.0, 2.0, np.inf]), np.array([1.0, 1.0, 2.2, np.inf]))
    assert odd.odd == 2 and odd.snr_db == pytest.approx(10 * log10((1 + 2.2**2) / 0.04))
    assert "2 of 4 elements NaN or infinite" in odd.line()
    zero = TensorError("y", 1)
    zero.add(0, np.ones(2), np.zeros(2))
    assert zero.snr_db == -inf and zero.relative == inf


def test_integers_do_not_wrap() -> None:
    error = TensorError("y", 1)
    error.add(0, np.array([-128], np.int8), np.array([127], np.int8))
    assert error.noise[0] == 255**2


def test_kept_tensors_are_compared_with_those_of_their_sample() -> None:
    golden = {"h": np.array([[1.0], [10.0]])}
    kept = KeptErrors(golden, samples=2, trials=3, nodes={"h": "conv"})
    for number in range(6):
        kept.add(number, {"h": golden["h"][number % 2] + (number == 3), "other": np.ones(1)})
    error = kept.tensors["h"]
    assert error.noise.tolist() == [0, 1, 0] and error.signal.tolist() == [101] * 3 and error.node == "conv"
