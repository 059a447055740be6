"""The largest current of a column: of each of a pair, or of both where they stand in one column."""

import numpy as np
import pytest

from emu.analog.product import AnalogProduct
from emu.arch import arch_from_dict
from emu.isa.dtypes import DType


def limited(wires, **mapping):
    """What a pair of columns gives of 4 units less 3, where no column gives more than 2.5."""
    tables = {"crossbar": {"differential": True, "dac_bits": 1}, "mapping": {"column_limit": 2.5, **mapping}}
    arch = arch_from_dict({**tables, "wires": wires}, "limited")
    weights = np.array([[127]] * 4 + [[-127]] * 3, np.int8)
    chain = AnalogProduct(arch, weights, (7,), DType.u8, DType.i8)
    return chain.multiply(np.ones((1, 7), np.uint8))[0, 0]


def test_columns_of_pairs_are_limited_each():
    assert limited({}) == 0
    assert limited({}, pairs="apart") == 0


@pytest.mark.parametrize("ohm", [{}, {"col_ohm": 1e-9}])
def test_a_column_of_both_is_limited_once(ohm):
    """With or without resistances of its wires."""
    assert limited({"interleaved": True, **ohm}) == pytest.approx(127, rel=1e-3)
