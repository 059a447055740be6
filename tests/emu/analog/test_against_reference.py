"""The chain of an array group against the reference of loops, for random descriptions, impossible ones among them."""

import analog_reference
import draws
import numpy as np
import pytest
from analog_cases import Case, cases
from hypothesis import event, given, note, settings

from emu.analog.cells.model import CellModel
from emu.analog.cells.table import CELLS
from emu.analog.product import AnalogProduct
from emu.errors import ArchError

GRAIN = 2.0**-13  # of a step of a cell: how exactly conductances are held, at least


def skewed(g):
    """What becomes of a conductance that should be `g`: an error that depends on nothing else."""
    return g + 0.05 * np.sin(40 * g) + 0.05


def off(halves):
    """The same of both halves of an array."""
    return [[[float(skewed(g)) for g in line] for line in half] for half in halves]


class Skewed(CellModel):
    """Cells with this error."""

    def drift(self, target, programmed, at, draw):
        """Conductances."""
        return skewed(target)


@pytest.fixture(scope="module", autouse=True)
def _models():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(CELLS, "skewed", Skewed())
        yield


def refused(case: Case) -> bool:
    """Whether nothing can be made of a description, or of these types and ranges with it."""
    crossbar, mapping, device = (case.tables[name] for name in ("crossbar", "mapping", "device"))
    slicing = mapping.get("slicing", "differential" if crossbar["differential"] else "offset")
    paired = slicing in ("differential", "two-sided")
    floats = [dtype.is_float for dtype in case.types]
    signs = mapping.get("input_signed", True) if floats[0] else case.types[0].is_signed
    weight_bits = mapping.get("weight_bits", 8 if crossbar["cell_bits"] else 0) if floats[1] else 16
    input_bits = mapping.get("input_bits", 8 if "dac_bits" in crossbar else 0) if floats[0] else 16
    coding = mapping.get("input_coding")
    whole = weight_bits and input_bits and not (floats[0] and coding == "levels")
    complement = coding == "twos-complement" and input_bits and mapping.get("input_slices") != "together"
    both = (signs and not complement) or (paired and mapping.get("pairs") != "apart")
    adc = mapping.get("adc_range", "full")
    chosen = mapping.get("adc_limits") if adc == "fixed" else case.limits
    reasons = {
        "conductances": device.get("g_min_us", 0) > device.get("g_max_us", np.inf),
        "pairs": paired != crossbar["differential"],
        "bits of two's complement": slicing == "twos-complement" and not crossbar["cell_bits"],
        "bits of cells": slicing == "two-sided" and 0 < crossbar["cell_bits"] < mapping.get("weight_bits", 0),
        "no range of converters": adc == "fixed" and "adc_limits" not in mapping,
        "no range of inputs": mapping.get("input_range") == "fixed" and "input_max" not in mapping,
        "inputs not measured": mapping.get("input_range") == "calibrated" and floats[0] and case.input_max is None,
    }
    if "adc_bits" in crossbar:
        reasons |= {
            "one code": crossbar["adc_bits"] == 1 and both and mapping.get("adc_codes") != "all",
            "no steps": adc == "unit" and not whole,
            "currents not measured": adc == "calibrated" and not case.limits,
        }
        if adc in ("fixed", "calibrated") and chosen:
            reasons["other slices"] = len(chosen) not in (1, slices(case, slicing, weight_bits))
    for reason in (name for name, holds in reasons.items() if holds):
        event(reason)
    return any(reasons.values())


def slices(case: Case, slicing: str, bits: int) -> int:
    """Slices of weights."""
    width, dtype = case.tables["crossbar"]["cell_bits"], case.types[1]
    bits = bits if dtype.is_float else dtype.size * 8
    signed = dtype.is_float or dtype.is_signed
    if not bits or slicing == "two-sided" or not width:
        return 1
    return -(-(bits - (signed and slicing != "offset")) // width) + (signed and slicing == "twos-complement")


@given(cases())
@settings(max_examples=draws.examples(60, 2000))
def test_products(case):
    if refused(case):
        with pytest.raises(ArchError):
            AnalogProduct(case.arch(), case.weights, case.row_tiles, *case.types, limits=case.limits)
        return
    arch = case.arch()
    measured = {"limits": case.limits, "input_max": case.input_max}
    product = AnalogProduct(arch, case.weights, case.row_tiles, *case.types, **measured)
    found = product.multiply(case.x)
    expected = analog_reference.product(
        arch,
        case.weights.astype(float if case.types[1].is_float else int).tolist(),
        case.row_tiles,
        case.types,
        case.x.astype(float if case.types[0].is_float else int).tolist(),
        **measured,
        made=off if arch.device.drift else lambda halves: halves,
        grain=GRAIN,
    )
    note(expected)
    for got, wanted in zip(found.ravel(), [output for row in expected for output in row], strict=True):
        assert abs(got - wanted.total) <= 1e-9 * wanted.size + 1.001 * wanted.slack
