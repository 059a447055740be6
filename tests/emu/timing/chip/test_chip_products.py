"""The time of a product from which peaks are computed is that of the cost model that times programs."""

from math import ceil
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from emu.arch_file import load_arch
from emu.arch_timing import MODELS as NAMES
from emu.timing.chip.product import PRODUCT_TIMES, model_of, product_ns
from emu.timing.model.product import Product
from emu.timing.model.subject import Subject
from emu.timing.models.table import MODELS


def test_there_is_a_cost_model_for_each_name():
    assert set(NAMES) == set(MODELS) == set(PRODUCT_TIMES)


@pytest.mark.parametrize("name", ["isaac", "puma", "pimsim-latency"])
@pytest.mark.parametrize("bits", [1, 4, 8, 16, 32])
def test_units_work_as_long_as_peaks_say(name, bits):
    arch = load_arch(name)
    crossbar, nothing = arch.crossbar, np.zeros(1, np.int64)
    product = Product(
        slices=ceil(bits / (crossbar.dac_bits or 1)),
        drives=ceil(crossbar.rows / (crossbar.dac_count or crossbar.rows)),
        conversions=ceil(crossbar.cols / (crossbar.adc_count or crossbar.cols)),
        **{"arrays": 1, "in_bytes": 0, "out_bytes": 0},
    )
    view: Any = SimpleNamespace(arch=arch)
    subject = Subject(view, cast(Any, None), cast(Any, None), 1, {})
    timed = MODELS[model_of(arch)].product(subject, product, nothing, nothing)
    assert timed.active == pytest.approx(1000 * product_ns(arch, bits), abs=product.steps * product.conversions)
