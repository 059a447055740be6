"""Times as text: exactly, and in five digits."""

from hypothesis import given
from hypothesis import strategies as st

from launch.timing.units import short_time, time_text

PS = {"ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}


@given(st.integers(0, 10**16))
def test_short_times_are_near_and_have_five_digits(ps: int) -> None:
    number, unit = short_time(ps).split()
    assert len(number.replace(".", "").strip("0")) <= 5
    assert abs(float(number) * PS[unit] - ps) <= ps * 6e-5
    exact, unit = time_text(ps).split()
    assert round(float(exact) * PS[unit]) == ps or ps > 2**50
    assert ps >= 10**5 or short_time(ps) == time_text(ps)
