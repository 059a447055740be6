"""Array groups where the answer is known: bits that lose nothing, single cells, and nothing described at all."""

from math import ceil, log2

import draws
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.analog.product import AnalogProduct
from emu.arch import arch_from_dict
from emu.core.crossbars.kinds import analog
from emu.core.crossbars.kinds.ideal import IdealCrossbar
from emu.core.crossbars.origin import Origin, Position
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec

HERE = Origin(Position(0), 0)
INTEGERS = (DType.i8, DType.u8, DType.i16, DType.u16)
HOLDERS = {  # of signs: keys of the chip
    "differential": {"differential": True},
    "two-sided": {"differential": True},
    "offset": {"differential": False},
    "twos-complement": {"differential": False},
}


def product(weights, row_tiles=None, types=(DType.i8, DType.i8), device=None, **keys):
    """Of a chip with these keys: those of [mapping] begin with `map_`."""
    mapping = {name.removeprefix("map_"): value for name, value in keys.items() if name.startswith("map_")}
    crossbar = {name: value for name, value in keys.items() if not name.startswith("map_")}
    arch = arch_from_dict({"crossbar": crossbar, "mapping": mapping, "device": device or {}}, "closed form")
    return AnalogProduct(arch, weights, row_tiles or (len(weights),), *types)


def whole(rows, *values):
    """A column of `rows` numbers of each value."""
    return np.repeat(np.array([values], np.int8), rows, axis=0)


def sums(rows, cell_bits, dac_bits):
    """The largest current of a column in steps."""
    return rows * (2**cell_bits - 1) * (2**dac_bits - 1)


def bits_of_pairs(rows, cell_bits, dac_bits):
    """Bits that lose nothing of the differences of pairs, and of any column whose voltages have signs."""
    return ceil(log2(2 * sums(rows, cell_bits, dac_bits) + 1))


def bits_of_columns(rows, cell_bits, dac_bits):
    """Bits that lose nothing of currents of one sign."""
    return ceil(log2(sums(rows, cell_bits, dac_bits) + 1))


@pytest.mark.parametrize("how", ["unit", "full"])
def test_128_rows_of_two_bits_and_one_bit_inputs_take_10_bits(how):
    """9 bits clip 384 to 255 or, where they span it, give one code to neighbours."""
    weights, x = whole(128, 127, -127, 127), whole(128, 127).T.copy()
    weights[:64, 2] = -128
    some = np.array([[127] * k + [0] * (128 - k) for k in range(129)], np.int8)
    x = np.vstack((x, -x, some))
    exact = x.astype(int) @ weights.astype(int)
    assert (bits_of_pairs(128, 2, 1), bits_of_columns(128, 2, 1)) == (10, 9)
    for bits in (9, 10):
        chain = product(weights, cell_bits=2, dac_bits=1, adc_bits=bits, differential=True, map_adc_range=how)
        assert np.array_equal(chain.multiply(x), exact) == (bits == 10)
        assert chain.exact == (bits == 10)
    assert (
        abs(
            product(weights, cell_bits=2, dac_bits=1, adc_bits=9, differential=True, map_adc_range=how).multiply(x)
            - exact
        ).max()
        > 127
    )


@given(
    st.integers(1, 128),
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from(["unit", "full"]),
    st.sampled_from(["offset", "differential", "twos-complement"]),
)
@settings(max_examples=draws.examples(30, 500))
def test_bits_that_lose_nothing(rows, cell_bits, dac_bits, how, slicing):
    """Of inputs without signs: those of the formula are enough, and with one less the largest currents are not held."""
    paired = slicing == "differential"
    needed = (bits_of_pairs if paired else bits_of_columns)(rows, cell_bits, dac_bits)
    kind = DType.i8 if paired else DType.u8
    low, high = (-127, 127) if paired else (0, 255)
    random = np.random.default_rng(rows)
    weights = np.hstack((np.full((rows, 1), high), np.full((rows, 1), low), random.integers(low, high + 1, (rows, 3))))
    x = np.vstack((np.full((1, rows), 255), random.integers(0, 256, (20, rows))))
    for bits in (needed, needed - 1):
        if bits < 1 + paired:
            continue
        chain = product(
            weights.astype(kind.numpy),
            types=(DType.u8, kind),
            cell_bits=cell_bits,
            dac_bits=dac_bits,
            adc_bits=bits,
            map_adc_range=how,
            map_slicing=slicing,
            **HOLDERS[slicing],
        )
        right = np.array_equal(chain.multiply(x.astype(np.uint8)), x @ weights)
        if bits == needed:
            assert right
            assert chain.exact
        else:
            assert not chain.exact


@given(st.integers(-128, 127), st.integers(-127, 127), st.integers(2, 12), st.integers(1, 4))
@settings(max_examples=draws.examples(50, 500))
def test_one_cell(weight, x, bits, per_cell):
    """A pair of cells per slice and one pulse: each slice is its own digit, rounded to codes of the whole current."""
    chain = product(np.array([[weight]], np.int8), cell_bits=per_cell, dac_bits=7, adc_bits=bits, differential=True)
    slices = ceil(7 / per_cell)
    magnitude, total = min(abs(weight), (1 << slices * per_cell) - 1), 0.0
    largest = (1 << per_cell) - 1
    for k in range(slices):
        current = (magnitude >> per_cell * k & largest) / largest * abs(x) / 127
        step = max(1 / largest / 127, 1 / ((1 << bits - 1) - 1))
        total += (1 << per_cell * k) * round(current / step) * step * largest * 127
    assert chain.multiply(np.array([[x]], np.int8))[0, 0] == pytest.approx(np.sign(weight * x) * total, rel=1e-9)


@pytest.mark.parametrize("least", [0.0, 2.5])
def test_one_column_of_one_cell_each(least):
    """A converter of 4 bits over 3 rows, of currents between those of all lowest and all highest conductances."""
    weights = np.array([[0], [3], [2]], np.uint8)
    chain = product(
        weights,
        types=(DType.u8, DType.u8),
        cell_bits=8,
        dac_bits=8,
        adc_bits=4,
        device={"g_min_us": least, "g_max_us": 25.0},
    )
    x = np.array([[255, 255, 255], [0, 255, 0], [9, 0, 128]], np.uint8)
    floor = least / 25
    currents = (x / 255) @ (floor + (1 - floor) * weights / 255)
    coded = np.rint(currents / (3 / 15)) * 3 / 15
    expected = (coded - floor * (x / 255).sum(axis=1, keepdims=True)) * 255 * 255 / (1 - floor)
    assert chain.multiply(x) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("slicing", HOLDERS)
@pytest.mark.parametrize("cell_bits", [0, 1, 2, 8])
@pytest.mark.parametrize(
    "types", [(a, b) for a in INTEGERS for b in INTEGERS], ids=lambda types: "-".join(map(str, types))
)
def test_products_of_integers(types, cell_bits, slicing):
    """Without converters and errors they are NumPy's, bit for bit, the outermost numbers among them."""
    if (slicing == "two-sided" and cell_bits) or (slicing == "twos-complement" and not cell_bits):
        return
    random = np.random.default_rng(cell_bits)
    (x_low, x_high), (low, high) = ((int(np.iinfo(each.numpy).min), int(np.iinfo(each.numpy).max)) for each in types)
    if slicing == "differential" and low and (types[1].size * 8 - 1) % max(cell_bits, 1) == 0 and cell_bits:
        low += 1  # no cell has room for the lowest number
    weights = random.integers(low, high + 1, (40, 5))
    weights[:, :2] = low, high
    x = random.integers(x_low, x_high + 1, (30, 40))
    x[:2] = [[x_low], [x_high]]
    chain = product(
        weights.astype(types[1].numpy),
        (25, 15),
        types,
        cell_bits=cell_bits,
        map_slicing=slicing,
        rows=32,
        **HOLDERS[slicing],
    )
    assert chain.ideal
    assert np.array_equal(chain.multiply(x.astype(types[0].numpy)), x @ weights)
    for apart in ("apart", "together"):  # slice by slice, as a limit that no column reaches is no part of closed forms
        sliced = product(
            weights.astype(types[1].numpy),
            (25, 15),
            types,
            cell_bits=cell_bits,
            dac_bits=1,
            map_slicing=slicing,
            map_input_slices=apart,
            map_column_limit=1e6,
            rows=32,
            **HOLDERS[slicing],
        )
        assert not sliced.ideal
        assert np.array_equal(np.rint(sliced.multiply(x.astype(types[0].numpy))), x @ weights)


@given(st.sampled_from([DType.f32, DType.f16, DType.i8, DType.u8, DType.i16]), st.booleans(), st.booleans())
@settings(max_examples=draws.examples(20, 100))
def test_nothing_described_is_the_ideal_crossbar(kind, paired, accumulate):
    """Bit for bit, also of floats, whose sums are rounded in an order."""
    output = DType.f32 if kind.is_float else DType.i32
    spec = GroupSpec(kind, kind, output, (30, 30, 7), (12, 9))
    random = np.random.default_rng(spec.rows)
    numbers = (
        random.standard_normal if kind.is_float else lambda shape: random.integers(*_ends(kind), shape, endpoint=True)
    )
    weights = numbers((spec.rows, spec.padded_cols)).astype(kind.numpy)
    x = numbers((5, spec.rows)).astype(kind.numpy)
    arch = arch_from_dict({"crossbar": {"rows": 30, "cols": 12, "differential": paired, "kind": "analog"}}, "nothing")
    results = []
    for crossbar in (IdealCrossbar(spec), analog.make(spec, arch, False)):
        crossbar.program(weights, 0, 0)
        y = np.full((5, spec.cols), 3, output.numpy)
        crossbar.multiply(y, x, accumulate, False, HERE)
        results.append(y)
    assert np.array_equal(*(result.view(np.uint32) for result in results))


def _ends(kind):
    info = np.iinfo(kind.numpy)
    return info.min, info.max
