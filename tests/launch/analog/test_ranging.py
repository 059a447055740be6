"""Bits that lose nothing, and ranges of converters by each method."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.analog.converters import Currents, converter
from emu.arch import Arch
from emu.arch.analog import CellMapping
from launch.analog.histogram import GrowingHistogram
from launch.analog.ranging import METHODS, ConverterFacts, chosen_range

BITS = st.integers(2, 12)


def facts(signed: bool, most: float, unit: float | None, bits: int | None) -> ConverterFacts:
    return ConverterFacts(signed, most, unit, bits, True)


def of(values: np.ndarray) -> GrowingHistogram:
    found = GrowingHistogram()
    found.add(values)
    return found


def error_of(values: np.ndarray, low: float, high: float, codes: int) -> float:
    """The mean square of what a converter of so many codes is off, computed by itself."""
    step = (high - low) / (codes - 1)
    made = low + step * np.clip(np.rint((values - low) / step), 0, codes - 1)
    return float(np.mean((values - made) ** 2))


@pytest.mark.parametrize(
    ("rows", "cell_bits", "dac_bits", "unipolar", "bipolar"),
    [(128, 2, 1, 9, 10), (128, 1, 1, 8, 9), (256, 2, 1, 10, 11), (9, 2, 1, 5, 6), (1, 1, 1, 1, 2), (64, 4, 2, 12, 13)],
)
def test_lossless_bits_are_the_closed_form(
    rows: int, cell_bits: int, dac_bits: int, unipolar: int, bipolar: int
) -> None:
    """ceil(log2(Y + 1)) and ceil(log2(2 Y + 1)), Y = R (2^w - 1)(2^v - 1)."""
    unit = 1 / ((2**cell_bits - 1) * (2**dac_bits - 1))
    assert facts(False, rows, unit, None).lossless_bits == unipolar
    assert facts(True, rows, unit, None).lossless_bits == bipolar


@given(st.lists(st.integers(-300, 300), min_size=1, max_size=50), BITS, st.sampled_from(sorted(METHODS)), st.booleans())
def test_where_bits_suffice_every_current_has_a_code_of_its_own(
    units: list[int], bits: int, method: str, signed: bool
) -> None:
    unit = 1 / 3
    values = np.array(units) * unit if signed else np.abs(units) * unit
    known = facts(signed, 300 * unit, unit, bits)
    low, high = chosen_range(of(values), known, method)
    codes = (1 << bits) - (low < 0)
    assert low < high and (signed or low >= 0)
    suffices = round((values.max() - values.min()) / unit) + 1 <= codes
    assert suffices == (known.bits_for(values.min(), values.max()) <= bits)
    if suffices:
        assert error_of(values, low, high, codes) < 1e-18
        assert low <= values.min() + 1e-9 and high >= values.max() - 1e-9


@given(st.integers(0, 1 << 32), BITS, st.sampled_from([1.0, 3.0]))
def test_the_least_error_is_at_most_that_of_the_whole_range(seed: int, bits: int, power: float) -> None:
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(2000) ** power
    known = facts(True, 1e3, None, bits)
    codes = (1 << bits) - 1
    whole = chosen_range(of(values), known, "min-max")
    least = chosen_range(of(values), known, "mse")
    assert whole == (values.min(), values.max())
    assert error_of(values, *least, codes) <= error_of(values, *whole, codes) * 1.1
    assert whole[0] <= least[0] < least[1] <= whole[1]


def test_the_least_error_of_a_long_tail_is_far_below_that_of_the_whole_range() -> None:
    values = np.append(np.random.default_rng(1).standard_normal(20_000), 40.0)
    known = facts(True, 1e3, None, 6)
    whole, least = (chosen_range(of(values), known, name) for name in ("min-max", "mse"))
    assert error_of(values, *least, 63) < error_of(values, *whole, 63) * 0.7


@given(st.integers(0, 1 << 32), st.floats(50, 100))
def test_so_many_percent_are_within(seed: int, percentile: float) -> None:
    values = np.random.default_rng(seed).standard_normal(1000)
    low, high = chosen_range(of(values), facts(True, 1e3, None, 8), "percentile", percentile)
    width = 2 * 8 / (1 << 13)
    within = np.mean((values >= low - width) & (values <= high + width))
    beyond = np.mean((values > low + width) & (values < high - width))
    assert beyond <= percentile / 100 + 2e-3 and within >= percentile / 100 - 2e-3


@given(st.sampled_from([-1.0, 0.0, 0.5]), BITS, st.sampled_from(["all", "symmetric"]))
def test_codes_are_those_of_the_converter(low: float, bits: int, codes: str) -> None:
    base = Arch()
    mapping = CellMapping(adc_range="fixed", adc_limits=((low, 1.0),), adc_codes=codes)
    arch = replace(base, crossbar=replace(base.crossbar, adc_bits=bits), mapping=mapping)
    made = converter(arch, Currents(1, True, 1 / 3, 9.0, 0, 1, 3, False, 0), None)
    known = ConverterFacts(True, 9.0, None, bits, codes == "symmetric")
    assert made is not None and made.highest - made.lowest == known.steps(low)


def test_what_had_no_current_gets_all_that_it_could() -> None:
    assert chosen_range(of(np.zeros(0)), facts(True, 9.0, 1 / 3, 8), "mse") == (-9.0, 9.0)
    assert chosen_range(of(np.zeros(0)), facts(False, 9.0, 1 / 3, 8), "min-max") == (0.0, 9.0)
    low, high = chosen_range(of(np.zeros(4)), facts(False, 9.0, None, None), "min-max")
    assert low == 0.0 < high
