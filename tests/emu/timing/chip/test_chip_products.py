"""The time of a product from which peaks are computed is that of the cost model that times programs."""

from dataclasses import replace
from math import ceil
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from emu.arch.cost_models import Figures, Product
from emu.arch.read import load_arch
from emu.timing.chip.product import model_of, product_ns
from emu.timing.model.subject import ModelSubject


def timed(arch, bits, words):
    """A product of a whole array, by the model that times programs; and that product."""
    crossbar, nothing = arch.crossbar, np.zeros(1, np.int64)
    product = Product(
        slices=ceil(bits / (crossbar.dac_bits or 1)),
        drives=ceil(crossbar.rows / (crossbar.dac_count or crossbar.rows)),
        conversions=ceil(crossbar.cols / (crossbar.adc_count or crossbar.cols)),
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
