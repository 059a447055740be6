"""Arrays with wires as CrossSim solves them: products of its own, in crosssim_wires.npz (how: crosssim_wires.md)."""

import json
from pathlib import Path

import numpy as np
import pytest

from emu.analog.wires import Resistances, folded, gated_currents
from emu.arch.analog import Wires

DATA = np.load(Path(__file__).with_name("crosssim_wires.npz"))
CASES = json.loads(DATA["cases"].tobytes())


def conductances(case, weights):
    """Pairs of cells [slices, 2, rows, cols] of one magnitude each, and what a slice's current counts."""
    core, device = case["core"], case["xbar"]["device"]
    least = 0 if device["infinite_on_off_ratio"] else device["Rmin"] / device["Rmax"]
    scaled = weights.T / abs(weights).max()
    if core["style"] == "BALANCED":
        scaled = scaled.astype(np.float32)
        return np.array([[least + (1 - least) * np.maximum(sign * scaled, 0) for sign in (1, -1)]]), [1 / (1 - least)]
    slices = core["bit_sliced"]["num_slices"]
    bits = 8 // slices
    whole = np.rint(scaled * 127).astype(int)
    digits = [[np.maximum(sign * whole, 0) >> bits * k & (1 << bits) - 1 for sign in (1, -1)] for k in range(slices)]
    largest = (1 << bits) - 1
    back = [largest * (1 << bits * k) / 127 / (1 - least) for k in range(slices)]
    return least + (1 - least) * np.array(digits) / largest, back


def pulses(case, inputs):
    """Voltages [pulses, vectors, rows], and what each pulse counts."""
    dac = case["xbar"]["dac"]["mvm"]
    if dac["model"] == "IdealDAC":
        return inputs[None], [1]
    bits = dac["bits"] - 1
    whole = np.rint(np.abs(inputs).clip(0, 1) * (2**bits - 1)).astype(int) * np.sign(inputs).astype(int)
    if not dac["input_bitslicing"]:
        return whole[None] / (2**bits - 1), [1]
    return np.array([np.sign(whole) * (abs(whole) >> k & 1) for k in range(bits)]), [
        2**k / (2**bits - 1) for k in range(bits)
    ]


def columns(case, cells, voltages):
    """Currents [vectors, cols] of one slice."""
    device, core = case["xbar"]["device"], case["core"]
    wires = case["xbar"]["array"]["parasitics"]
    ohm = {name: wires[name] / device["Rmin"] for name in ("Rp_row", "Rp_col", "Rp_row_terminal", "Rp_col_terminal")}
    interleaved = core["balanced"]["interleaved_posneg"]
    arrays = [(cells[0], cells[1])] if interleaved else [(cells[0], None), (cells[1], None)]
    if wires["current_from_input"]:
        row = np.full(voltages.shape[1], ohm["Rp_row"])
        row[0] += ohm["Rp_row_terminal"]  # along all of the first word line
        network = Resistances(row, ohm["Rp_col"], row, ohm["Rp_col"] + ohm["Rp_col_terminal"])
        currents = [voltages @ folded(plus, network, minus) for plus, minus in arrays]
    else:
        described = Wires(
            row_ohm=ohm["Rp_row"],
            row_end_ohm=ohm["Rp_row"] + ohm["Rp_row_terminal"],
            col_ohm=ohm["Rp_col"],
            col_end_ohm=ohm["Rp_col"] + ohm["Rp_col_terminal"],
            unused=wires["selected_rows"],
            gated=True,
        )
        rows = core["rows_max"]
        currents = [gated_currents(plus, described, 1.0, voltages, minus, rows) for plus, minus in arrays]
    return currents[0] if interleaved else currents[0] - currents[1]


def converted(adc, currents, number):
    """What a converter without a code for 0 makes of currents."""
    if adc["model"] == "IdealADC":
        return currents
    low, high = adc["calibrated_range"][number]
    steps = (2 ** adc["bits"] - 1) / (high - low)
    return np.rint((currents.clip(low, high) - low) * steps) / steps + low


@pytest.mark.parametrize("number", range(len(CASES)))
def test_products(number):
    case, weights, inputs, expected = CASES[number], *(DATA[f"{name}{number}"] for name in "Wxy")
    vectors = np.atleast_2d(inputs.T)
    cells, back = conductances(case, weights)
    voltages, counts = pulses(case, vectors)
    total = np.zeros((len(vectors), len(weights)))
    for k, pair in enumerate(cells):
        currents = sum(count * columns(case, pair, pulse) for count, pulse in zip(counts, voltages, strict=True))
        total += back[k] * converted(case["xbar"]["adc"]["mvm"], currents, k)
    total *= abs(weights).max()
    ideal = vectors @ weights.T
    near = 1e-5 * abs(weights).max() * abs(inputs).max()
    assert abs(total - np.atleast_2d(expected.T)).max() <= near
    assert abs(total - ideal).max() > 100 * near  # wires matter
