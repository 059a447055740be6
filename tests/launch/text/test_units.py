"""Numbers for people: four digits in the unit that fits, sizes, lists of cores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.text.units import energy_text, number_text, ranges, size_text, time_text

PS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}


@given(st.integers(0, 10**16))
def test_times_are_near_and_have_four_digits(ps: int) -> None:
    number, unit = time_text(ps).split()
    assert len(number.replace(".", "").strip("0")) <= 4 and "e" not in number
    assert abs(float(number) * PS[unit] - ps) <= ps * 6e-4
    assert unit == "s" or float(number) <= 1000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (time_text(59238271125), "59.24 ms"),
        (time_text(500), "500 ps"),
        (energy_text(1.23456e6), "1.235 uJ"),
        (number_text(12345.6), "12350"),
        (number_text(0.000123456), "0.0001235"),
        (number_text(1.5e12), "1.5e+12"),
        (size_text(0), "0 B"),
        (size_text(1023), "1023 B"),
        (size_text(1536), "1.5 KiB"),
        (size_text(5 << 20), "5 MiB"),
        (size_text(3 << 50), "3072 TiB"),
        (ranges([3, 0, 1, 2, 7, 9, 8, 11]), "0-3, 7-9, 11"),
        (ranges([]), ""),
    ],
)
def test_as_it_is_written(text: str, said: str) -> None:
    assert text == said
