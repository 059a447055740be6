"""Reads parameters of CrossSim 3 (JSON of its `CrossSimParameters`): tables of a chip, where keys mean the same.

Its keys, usual values and formulas: CrossSim 3.2, simulator/parameters, simulator/circuits, and its inference manual.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emu.arch.analog import DAY
from emu.arch.checks import Limits
from emu.interop.key_tree import KeyTree

Tables = dict[str, dict[str, Any]]
STYLES = {1: "BALANCED", 2: "BITSLICED", 3: "OFFSET"}
PAIRS = {"ONE_SIDED": "differential", "TWO_SIDED": "two-sided"}
ZEROS = {"DIGITAL_OFFSET": None, "UNIT_COLUMN_SUBTRACTION": "column"}
ADCS = {"IdealADC": None, "QuantizerADC": "all", "SignMagnitudeADC": None}  # by what mapping.adc_codes is
DACS = {"IdealDAC": None, "QuantizerDAC": "levels", "SignMagnitudeDAC": None}  # by mapping.input_coding
RANGES = {1: "CALIBRATED", 2: "MAX", 3: "GRANULAR"}
GENERIC = {
    f"{law}{kind}Device": f"crosssim-{law.lower()}{ours}"
    for law in ("Normal", "Uniform")
    for kind, ours in {"Independent": "", "Proportional": "-proportional", "InverseProportional": "-inverse"}.items()
}
MEASURED = {
    "PCMJoshi": "crosssim-pcm-joshi",
    "RRAMMilo": "crosssim-rram-milo",
    "RRAMWan": "crosssim-rram-wan",
    "SONOS": "crosssim-sonos",
}
CURVES = {"CubicDevice": "cubic", "RRAMMilo": "milo"}
IDLE = (  # keys that change no result of a product, are of the other direction, or are the compiler's matter
    *("simulation.*", "*.vmm.*", "*._match", "core.output_dtype", "core.mapping.weights.clipping"),
    *("core.mapping.weights.*_partition_*", "core.mapping.inputs.mvm.clipping"),
    *("core.balanced.*", "core.bit_sliced.*", "core.offset.*"),  # of another style than the file's
    *("xbar.device.*.model", "xbar.device.*.magnitude", "xbar.array.parasitics.*"),  # of what is not enabled
    "xbar.adc.mvm.*",
)


def is_crosssim(tree: Mapping[str, Any]) -> bool:
    """Whether a tree of JSON is of CrossSim."""
    return {"xbar", "core"} <= tree.keys()


def tables_of_crosssim(tree: Mapping[str, Any], file_name: str) -> Tables:
    """What parameters say, as tables of a chip; raises ArchError, by key, for what means something else here."""
    keys = KeyTree(tree, file_name)
    tables: Tables = {"crossbar": {"kind": "analog"}, "mapping": {}, "device": {}, "wires": {}}
    for part in (_core, _weights, _inputs, _device, _errors, _wires, _converters):
        part(keys, tables)
    keys.finish(IDLE)
    return {name: table for name, table in tables.items() if table}


def _core(keys: KeyTree, tables: Tables) -> None:
    """How signs are held, and in how many cells."""
    crossbar, mapping = tables["crossbar"], tables["mapping"]
    for name, ours in (("rows_max", "rows"), ("cols_max", "cols")):
        if most := keys.count(f"core.{name}", 0):
            crossbar[ours] = most
    for name in ("complex_matrix", "complex_input"):
        keys.only(f"core.{name}", False, "is not modelled: numbers are real")
    style, bits = keys.choice("core.style", "BALANCED", STYLES.values(), STYLES), keys.count("core.weight_bits", 0)
    cell = keys.count("xbar.device.cell_bits", 0)
    if style == "BITSLICED":
        cell = _sliced(keys, bits, cell)
        style = keys.choice("core.bit_sliced.style", "BALANCED", ("BALANCED", "OFFSET"), STYLES)
    elif cell:
        bits = cell + (style == "BALANCED")  # the sign of a pair is in no cell
    else:
        bits = 0
    crossbar["cell_bits"], crossbar["differential"] = cell, style == "BALANCED"
    if style == "BALANCED":
        sides = keys.choice(
            "core.balanced.style", "ONE_SIDED", ("ONE_SIDED", "TWO_SIDED"), {1: "ONE_SIDED", 2: "TWO_SIDED"}
        )
        mapping["slicing"] = "two-sided" if sides == "TWO_SIDED" else "differential"
        if not keys.flag("core.balanced.subtract_current_in_xbar", True):
            mapping["pairs"] = "apart"
        if keys.flag("core.balanced.interleaved_posneg", False):
            tables["wires"]["interleaved"] = True
    else:
        mapping["slicing"] = "offset"
        if zero := ZEROS[keys.choice("core.offset.style", "DIGITAL_OFFSET", ZEROS, dict(enumerate(ZEROS, 1)))]:
            mapping["zero"] = zero
    if bits and mapping["slicing"] != "two-sided":
        if bits < 2:
            raise keys.refused("xbar.device.cell_bits", "1 leaves no magnitude beside the sign: give 2 or more")
        mapping["weight_bits"] = bits


def _sliced(keys: KeyTree, bits: int, cell: int) -> int:
    """Bits of one slice of a weight of `bits` bits."""
    count = keys.count("core.bit_sliced.num_slices", 2)
    if not 0 < count <= bits:
        raise keys.refused("core.bit_sliced.num_slices", f"must be from 1 to core.weight_bits {bits}, not {count}")
    paired = keys.choice("core.bit_sliced.style", "BALANCED", ("BALANCED", "OFFSET"), STYLES) == "BALANCED"
    width = bits // count if bits % count == 0 else -(-(bits - paired) // count)
    if cell not in (0, width):
        raise keys.refused("xbar.device.cell_bits", f"must be 0 or {width}, the bits of one slice, not {cell}")
    used = -(-(bits - paired) // width)
    if used < count and keys.choice("xbar.adc.mvm.model", "IdealADC", ADCS) == "QuantizerADC":
        raise keys.refused("core.bit_sliced.num_slices", f"{count} leaves slices empty, but converted: give {used}")
    return width


def _weights(keys: KeyTree, tables: Tables) -> None:
    """The range of weights."""
    path, mapping = "core.mapping.weights.", tables["mapping"]
    share = keys.value(f"{path}percentile", None)
    low, high = (keys.value(f"{path}{name}", usual) for name, usual in (("min", -1.0), ("max", 1.0)))
    if share is None:
        if low != -high:
            raise keys.refused(f"{path}min", f"{low} is not the opposite of max {high}: ranges are symmetric")
        mapping["weight_max"] = keys.number(f"{path}max", 1.0)
    elif keys.number(f"{path}percentile", None) > 1:
        raise keys.refused(f"{path}percentile", f"{share:g} is more than 1: ranges end at the largest weight")
    elif share < 1:
        mapping["weight_percentile"] = 100 * share


def _inputs(keys: KeyTree, tables: Tables) -> None:
    """The range of inputs, and their way to voltages."""
    path, mapping = "core.mapping.inputs.mvm.", tables["mapping"]
    keys.only(f"{path}percentile", None, "is not modelled: give min and max")
    low, high = (keys.value(f"{path}{name}", usual) for name, usual in (("min", -1.0), ("max", 1.0)))
    signed = keys.flag("xbar.dac.mvm.signed", True)
    if low != (opposite := -high if signed else 0):
        raise keys.refused(f"{path}min", f"{low:g} must be {opposite:g}, by max {high:g} and xbar.dac.mvm.signed")
    mapping |= {"input_range": "fixed", "input_max": keys.number(f"{path}max", 1.0)}
    if not signed:
        mapping["input_signed"] = False
    coding = DACS[keys.choice("xbar.dac.mvm.model", "IdealDAC", DACS)]
    bits, sliced = keys.count("xbar.dac.mvm.bits", 0), keys.flag("xbar.dac.mvm.input_bitslicing", False)
    size = keys.count("xbar.dac.mvm.slice_size", 1)
    if keys.value("xbar.dac.mvm.model", "IdealDAC") == "IdealDAC" or not bits:
        return
    mapping["input_bits"] = bits
    if sliced:
        tables["crossbar"]["dac_bits"] = min(size, max(bits - signed, 1))
    elif coding and signed:  # without a sign, or in slices, both models give the same
        mapping["input_coding"] = coding


def _reach(keys: KeyTree) -> float:
    """The share of the whole voltage that inputs reach: all of it, unless a slice has more bits than they have."""
    if not keys.flag("xbar.dac.mvm.input_bitslicing", False):
        return 1.0
    size, bits = keys.count("xbar.dac.mvm.slice_size", 1), keys.count("xbar.dac.mvm.bits", 0)
    own = bits - keys.flag("xbar.dac.mvm.signed", True)
    return ((1 << own) - 1) / ((1 << size) - 1) if 0 < own < size else 1.0


def _device(keys: KeyTree, tables: Tables) -> None:
    """Conductances, voltage and time."""
    path, device = "xbar.device.", tables["device"]
    lowest, highest = (keys.number(f"{path}{name}", usual, 1e-9) for name, usual in (("Rmin", 1e3), ("Rmax", 1e4)))
    device["g_max_us"] = 1e6 / lowest
    if not keys.flag(f"{path}infinite_on_off_ratio", False):
        if lowest >= highest:
            raise keys.refused(f"{path}Rmin", f"{lowest:g} must be below {path}Rmax {highest:g}")
        device["g_min_us"] = 1e6 / highest
    device["read_v"] = keys.number(f"{path}Vread", 0.1, 1e-6) * _reach(keys)
    if keys.flag(f"{path}clip_conductance", False):
        device["clip"] = True
    if keys.flag(f"{path}nonlinear_IV.enable", False):
        device["iv"] = CURVES[keys.choice(f"{path}nonlinear_IV.model", "", CURVES)]


def _errors(keys: KeyTree, tables: Tables) -> None:
    """Models of errors; with time, those of drift hold those of programming, too."""
    device, days = tables["device"], keys.number("xbar.device.time", 0)
    if days:
        device["time_s"] = days * DAY
    made = _model(keys, "programming_error")
    drift = _model(keys, "drift_error")
    read = _model(keys, "read_noise")
    if days and drift:
        device["drift"] = drift[0]
        if drift[1] is not None:
            raise keys.refused("xbar.device.drift_error.model", "is no model of drift: give one of measured cells")
    elif days and made:
        raise keys.refused("xbar.device.programming_error.enable", "with xbar.device.time has no effect: leave it out")
    elif made:
        device["programming"] = made[0]
        if made[1] is not None:
            device["programming_sigma"] = made[1]
    if read:
        device["read_noise"] = read[0]
        if read[1] is not None:
            device["read_sigma"] = read[1]


def _model(keys: KeyTree, what: str) -> tuple[str, float | None] | None:
    """Our name of a model, and its sigma if it has one; None if it is not enabled."""
    path = f"xbar.device.{what}."
    if not keys.flag(f"{path}enable", False):
        return None
    name = keys.choice(f"{path}model", "IdealDevice", ("IdealDevice", *GENERIC, *MEASURED))
    if name in GENERIC:
        return GENERIC[name], keys.number(f"{path}magnitude", 0)
    return (MEASURED[name], None) if name in MEASURED else None


def _wires(keys: KeyTree, tables: Tables) -> None:
    """Resistances of wires, and the largest current of a column."""
    if limit := keys.number("xbar.array.Icol_max", 0):
        tables["mapping"]["column_limit"] = limit / _reach(keys)
    path, wires = "xbar.array.parasitics.", tables["wires"]
    if not keys.flag(f"{path}enable", False):
        return
    row, col = keys.number(f"{path}Rp_row", 0), keys.number(f"{path}Rp_col", 0)
    gated, end = not keys.flag(f"{path}current_from_input", True), keys.number(f"{path}Rp_row_terminal", 0)
    if end and not gated:
        raise keys.refused(
            f"{path}Rp_row_terminal",
            f"{end:g} means something else: CrossSim adds it to all segments of one row; set wires.row_end_ohm",
        )
    ends = {
        "row_end_ohm": row + end,
        "col_end_ohm": col + keys.number(f"{path}Rp_col_terminal", 0),
    }  # end segments count
    wires |= {name: ohm for name, ohm in {"row_ohm": row, "col_ohm": col, **ends}.items() if ohm}
    if gated:
        wires["gated"] = True
    unused = keys.choice(f"{path}selected_rows", "top", ("top", "bottom"))
    if unused == "bottom":
        wires["unused"] = unused


def _converters(keys: KeyTree, tables: Tables) -> None:
    """Converters of columns, and what their codes span."""
    path, mapping, crossbar = "xbar.adc.mvm.", tables["mapping"], tables["crossbar"]
    codes = ADCS[keys.choice(f"{path}model", "IdealADC", ADCS)]
    bits = keys.count(f"{path}bits", 0)
    apart = keys.flag(f"{path}adc_per_ibit", False)
    if "dac_bits" in crossbar:
        mapping["input_slices"] = "apart" if apart else "together"
    if keys.value(f"{path}model", "IdealADC") == "IdealADC" or not bits:
        return
    keys.only(f"{path}stochastic_rounding", False, "is not modelled: codes are the nearest")
    keys.only(f"{path}signed", True, "is not modelled: whether currents have signs is known")
    crossbar["adc_bits"] = bits
    if codes:
        mapping["adc_codes"] = codes
    how, sliced = keys.choice(f"{path}adc_range_option", "CALIBRATED", RANGES.values(), RANGES), _is_sliced(keys)
    reach = _reach(keys)
    if how == "MAX":
        if reach < 1:
            raise keys.refused("xbar.dac.mvm.slice_size", "is more than inputs have bits, beside MAX: give no more")
        mapping["adc_range"] = "span-sliced" if sliced else "span"
        return
    given = keys.value(f"{path}calibrated_range", None)
    mapping["adc_range"] = "fixed"
    if how == "GRANULAR":
        limits = _granular(keys, tables, bits, sliced)
    elif given is None:
        raise keys.refused(f"{path}calibrated_range", "is missing: give the range of CALIBRATED")
    else:
        used = -(-(mapping["weight_bits"] - crossbar["differential"]) // crossbar["cell_bits"]) if sliced else 1
        limits = given[:used] if sliced else [given]
    try:
        mapping["adc_limits"] = [[end / reach for end in pair] for pair in Limits().read(limits)]
    except ValueError as error:
        raise keys.refused(f"{path}calibrated_range", str(error)) from None


def _is_sliced(keys: KeyTree) -> bool:
    return keys.choice("core.style", "BALANCED", STYLES.values(), STYLES) == "BITSLICED"


def _granular(keys: KeyTree, tables: Tables, bits: int, sliced: bool) -> list[list[float]]:
    """The range of codes whose step is the smallest difference of currents, as CrossSim has it."""
    mapping, crossbar = tables["mapping"], tables["crossbar"]
    signed = mapping.get("input_signed", True)
    if "input_bits" not in mapping:
        raise keys.refused("xbar.adc.mvm.adc_range_option", "GRANULAR needs inputs of bits: give xbar.dac.mvm.bits")
    levels = 1 << mapping["input_bits"] - signed
    weight_bits = keys.count("core.weight_bits", 0)
    step = levels / (levels - 1) / ((1 << crossbar["cell_bits"]) - 1 if sliced else 1 << weight_bits)
    paired = crossbar["differential"] and (sliced or mapping.get("pairs") != "apart")
    if signed or paired:
        top = step * ((1 << bits - 1) - 1)
        return [[-top, top]]
    return [[0.0, step * ((1 << bits) - 1)]]
