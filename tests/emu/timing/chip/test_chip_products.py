"""The time of a product from which peaks are computed is that of the cost model that times programs."""

from dataclasses import replace
from math import ceil
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from emu.arch.chip import Crossbar
from emu.arch.cost_models import Figures, Product
from emu.arch.derived import derived
from emu.arch.read import load_arch
from emu.timing.chip.components import instances, placed
from emu.timing.chip.product import model_of, product_ns
from emu.timing.chip.sums import areas_of, levels
from emu.timing.model.subject import ModelSubject


def timed(arch, bits, words):
    """A product of a whole array, by the model that times programs; and that product."""
    crossbar, nothing = arch.crossbar, np.zeros(1, np.int64)
    product = Product(
        slices=ceil(bits / (crossbar.dac_bits or 1)),
        drives=ceil(crossbar.rows / (crossbar.dac_count or crossbar.rows)),
        conversions=ceil(crossbar.cols * (crossbar.adc_arrays or 1) / (crossbar.adc_count or crossbar.cols)),
        words=words,
    )
    view: Any = SimpleNamespace(arch=arch)
    subject = ModelSubject(view, cast(Any, None), cast(Any, None), 1, {})
    return model_of(arch).product(Figures(subject.ps, arch.timing.pipelined), product, nothing, nothing), product


@pytest.mark.parametrize("name", ["isaac", "puma"])
@pytest.mark.parametrize("bits", [1, 4, 8, 16, 32])
def test_units_work_as_long_as_peaks_say(name, bits):
    arch = load_arch(name)
    found, product = timed(arch, bits, 0)
    assert found.active == pytest.approx(1000 * product_ns(arch, bits), abs=product.steps * product.conversions)


@pytest.mark.parametrize("pipelined", [False, True])
@pytest.mark.parametrize("bits", [4, 8, 16, 32])
def test_of_the_generic_model_one_product_follows_the_other(pipelined, bits):
    arch = load_arch("pimsim-latency")
    figures = replace(
        arch.timing,
        pipelined=pipelined,
        input_register=replace(arch.timing.input_register, latency_ns=7.0),
        bus=replace(arch.timing.bus, width_bytes=48, word_ns=3.0),
    )
    arch = replace(arch, timing=figures)
    words = sum(ceil(ceil(count * bits / 8) / 48) for count in (arch.crossbar.rows, arch.crossbar.cols))
    assert arch.side_by_side(arch.slices(bits)) == 1
    found, product = timed(arch, bits, words)
    assert found.interval is None
    assert found.compute == pytest.approx(1000 * product_ns(arch, bits), abs=product.steps * product.conversions)


@pytest.mark.parametrize(
    ("adcs", "arrays", "columns", "conversions"), [(1, 8, 128, 1024), (4, 8, 128, 256), (3, 8, 100, 267)]
)
def test_arrays_that_share_converters_wait_for_each_other(adcs, arrays, columns, conversions):
    """Four converters for eight arrays: each does half the bit lines of all of them."""
    shared = Crossbar(adc_count=adcs, adc_arrays=arrays)
    assert shared.conversions(columns) == conversions
    assert replace(shared, adc_arrays=None).conversions(columns) == -(-columns // adcs)
    assert replace(shared, adc_count=None).conversions(columns) == arrays
    assert Crossbar().conversions(0) == 0


@pytest.mark.parametrize("name", ["isaac", "puma"])
@pytest.mark.parametrize("arrays", [1, 2, 4, 8])
def test_shared_converters_lengthen_products_and_are_fewer(name, arrays):
    base = load_arch(name)
    arch = derived(base, {"crossbar.adc_arrays": arrays})
    assert product_ns(arch, 16) == arrays * product_ns(base, 16)
    assert instances(arch, "adc") == instances(base, "adc") // arrays
    assert placed(arch, "adc") == ("mvmu", 8 // arrays)
    found, product = timed(arch, 16, 0)
    assert found.active == pytest.approx(1000 * product_ns(arch, 16), abs=product.steps * product.conversions)


def test_shared_converters_take_less_area_and_power():
    base = load_arch("isaac")
    arch = derived(base, {"crossbar.adc_arrays": 8})
    assert areas_of(base)["adc"] == pytest.approx(8 * areas_of(arch)["adc"])
    power = {level.name: level.power_mw for level in levels(arch)}
    assert power["mvmu"] == pytest.approx(24.08 - 7 * 2 - 0.2 * 7 / 8)  # shift-and-add as many as conversions
