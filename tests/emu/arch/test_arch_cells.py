"""Where the cells of a weight stand: in several crossbars, or in several columns of one."""

from math import ceil

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from emu.arch import Arch, Crossbar
from emu.arch.read import load_arch
from emu.isa.dtypes import DType

TYPES = st.sampled_from(list(DType))
SIZES = st.integers(1, 300)


@given(st.integers(0, 40), SIZES, TYPES)
def test_slices_in_crossbars_take_as_many_and_leave_all_columns(bits, cols, dtype):
    arch = Arch(crossbar=Crossbar(8, cols, bits))
    assert (arch.cells(dtype), arch.columns(dtype)) == (arch.weight_slices(dtype), cols)


@given(st.integers(0, 40), SIZES, TYPES)
def test_slices_in_columns_stand_side_by_side(bits, cols, dtype):
    arch = Arch(crossbar=Crossbar(8, cols, bits, "columns"))
    slices = arch.weight_slices(dtype)
    assert arch.columns(dtype) == max(1, cols // slices) and arch.cells(dtype) == ceil(slices / cols)
    assert arch.columns(dtype) * slices <= arch.cells(dtype) * cols


@given(st.integers(1, 40), TYPES)
def test_all_bits_but_a_sign_are_in_cells_and_no_cell_is_idle(bits, dtype):
    slices = Arch(crossbar=Crossbar(8, 8, bits)).weight_slices(dtype)
    if dtype.is_float:  # the sign is one of the bits of a float
        needed = 8 * dtype.size - 1
    else:
        needed = 1 if dtype == DType.bool else int(np.iinfo(dtype.numpy).max).bit_length()
    assert (slices - 1) * bits < needed <= slices * bits


def test_ideal_cells_are_bound_to_nothing():
    for binding in ("crossbars", "columns"):
        arch = Arch(crossbar=Crossbar(8, 16, 0, binding))
        assert (arch.cells(DType.f32), arch.columns(DType.f32)) == (1, 16)


def test_the_worked_example_of_cim_mlc_fills_one_crossbar():
    """27 rows of 32, and 32 filters x 8 bits / 2 bits = 128 columns."""
    arch = load_arch("cim-mlc-example")
    assert (arch.columns(DType.i8), arch.cells(DType.i8)) == (32, 1)
    assert (arch.cores, arch.core.crossbars, arch.crossbar.rows, arch.crossbar.cols) == (2, 2, 32, 128)


def test_presets_hold_what_the_table_of_cim_mlc_says():
    """Cores, crossbars per core, rows, columns, bits of a cell, rows driven at a time, DAC and ADC bits; all bits."""
    table = {
        "isaac": ("wlm", 768, 16, 128, 128, 2, 8, 1, 8, 402653184),
        "jia": ("cm", 16, 1, 1152, 256, 1, 1152, 1, 8, 4718592),
        "puma": ("xbm", 138, 2, 128, 128, 2, 128, 1, 8, 9043968),
        "jain": ("wlm", 4, 2, 256, 64, 1, 32, 1, 6, 131072),
    }
    for name, expected in table.items():
        arch = load_arch(f"cim-mlc-{name}")
        bar = arch.crossbar
        cells = arch.cores * arch.core.crossbars * bar.rows * bar.cols
        shape = (arch.mode, arch.cores, arch.core.crossbars, bar.rows, bar.cols, bar.cell_bits)
        assert (*shape, bar.driven_rows, bar.dac_bits, bar.adc_bits, cells * bar.cell_bits) == expected
        assert (arch.energy, arch.area, arch.published) == (None, None, None)
    for name in ("jia", "jain"):
        chip, model = load_arch(name), load_arch(f"cim-mlc-{name}")
        assert (chip.mode, chip.cores, chip.core.crossbars) == (model.mode, model.cores, model.core.crossbars)
        assert chip.crossbar == model.crossbar
