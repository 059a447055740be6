"""Times and energies as people read them."""

import pytest

from launch.timing.figures import energy_text, time_text


@pytest.mark.parametrize(
    ("ps", "text"),
    [
        (0, "0 ns"),
        (1, "0.001 ns"),
        (999_999, "999.999 ns"),
        (5_599_000, "5.599 us"),
        (1_089_957_000, "1.089957 ms"),
        (32_944_204_000, "32.944204 ms"),
        (10**12, "1 s"),
        (10**12 + 1, "1.000000000001 s"),
    ],
)
def test_no_digit_of_a_time_is_lost(ps, text):
    assert time_text(ps) == text


@pytest.mark.parametrize(
    ("pj", "text"), [(0, "0 pJ"), (1.5, "1.5 pJ"), (18407, "18.407 nJ"), (1.535657774e9, "1.53566 mJ"), (2e12, "2 J")]
)
def test_energies(pj, text):
    assert energy_text(pj) == text
