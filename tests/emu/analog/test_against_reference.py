"""The chain of an array group against the reference of loops, for random descriptions, impossible ones among them."""

from functools import partial

import analog_reference
import draws
import numpy as np
import pytest
from analog_cases import Case, cases
from hypothesis import event, given, note, settings

from emu.analog.cells.model import CellModel
from emu.analog.cells.table import CELLS
from emu.analog.product import AnalogProduct
from emu.analog.wires import effective, gated_currents, has_wires
from emu.arch import Arch
from emu.errors import ArchError

GRAIN = 2.0**-13  # of a step of a cell: how exactly conductances are held, at least


def skewed(g):
    """What becomes of a conductance that should be `g`: an error that depends on nothing else."""
    return g + 0.05 * np.sin(40 * g) + 0.05


def made(arch: Arch):
    """What arrays of such cells and wires are, for the reference."""
    wires, ohm, rows = arch.wires, 1e6 / (arch.device.g_max_us or 25), arch.crossbar.rows

    def array(slices):
        slices = [[aged(np.array(half)) for half in halves] for halves in slices]
        if not has_wires(wires):
            cells = [[halves[0] - halves[1]] if wires.interleaved else halves for halves in slices]
            return analog_reference.ohmic([[half.tolist() for half in halves] for halves in cells])
        columns = [[halves] if wires.interleaved else [[half] for half in halves] for halves in slices]
        if wires.gated:  # each column has a supply of its own: what stands beside it does not matter

            def switched(volts, of):
                return gated_currents(of[0], wires, ohm, np.array([volts]), *of[1:], array_rows=rows)[0].tolist()

            return [[partial(switched, of=each) for each in slice_] for slice_ in columns]
        together = arch.side_by_side(len(slices))
        found = []
        for first in range(0, len(slices), together):
            some = columns[first : first + together]
            halves = [alone(beside([slice_[k] for slice_ in some]), len(some)) for k in range(len(some[0]))]
            found += zip(*halves, strict=True)
        return analog_reference.ohmic(found)

    def aged(half):
        return half if arch.device.drift is None else skewed(half)

    def beside(cells):
        """Plus and minus [row, col] of an array whose columns are those of the slices of each weight in turn."""
        width = cells[0][0].shape[1]
        return [
            np.array([each[side][:, col] for col in range(width) for each in cells]).T for side in range(len(cells[0]))
        ]

    def alone(of, count):
        """What gives the currents of each slice [row][col]."""
        whole = effective(of[0], wires, ohm, *of[1:], array_rows=rows)
        return [whole[:, number::count].tolist() for number in range(count)]

    return array


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
    crossbar, mapping, device, wires = (case.tables[name] for name in ("crossbar", "mapping", "device", "wires"))
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
    resists = any(value for name, value in wires.items() if name.endswith("_ohm"))
    reasons = {
        "pairs in columns": wires.get("interleaved")
        and (not crossbar["differential"] or mapping.get("pairs") == "apart"),
        "curves and wires": resists and device.get("iv") == "cubic",
        "switches of several voltages": wires.get("gated") and crossbar.get("dac_bits") != 1,
        "switches of any voltage": wires.get("gated") and resists and floats[0] and coding == "levels",
        "conductances": device.get("g_min_us", 0) >= device.get("g_max_us", 25),
        "pairs": paired != crossbar["differential"],
        "conversion of pairs": "pairs" in mapping and not crossbar["differential"],
        "zero of pairs": mapping.get("zero") == "column" and crossbar["differential"],
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
@settings(max_examples=draws.examples(40, 2000))
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
        made=made(arch),
        grain=GRAIN,
        aged=skewed if arch.device.drift else None,
    )
    note(expected)
    for got, wanted in zip(found.ravel(), [output for row in expected for output in row], strict=True):
        assert abs(got - wanted.total) <= 1e-9 * wanted.size + 1.001 * wanted.slack
