"""What a chip's description says of cells, wires and converters: what they do to the answer, not what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emu.arch.checks import Limits, NumberCheck, Real, TextCheck
from emu.arch.key import FLAG, TEXT, key

SLICINGS = ("differential", "two-sided", "offset", "twos-complement")
PAIRED = ("differential", "two-sided")  # slicings in which two cells hold a digit
ADC_RANGES = ("full", "span", "span-sliced", "unit", "fixed", "calibrated")
INPUT_RANGES = ("vector", "fixed", "calibrated")
DAY = 86400.0  # seconds
G_MAX_US = 25.0  # of a cell whose conductances nobody says: a scale alone


def _of_fixed(table: Any, what: str, value: Any) -> str:
    """What is wrong with a range of which the numbers are missing."""
    return f'is "fixed", which needs mapping.{what}' if value is None else ""


def _unlike_cells(table: Any, arch: Any) -> str:
    """What is wrong with a way to hold signs, beside what else is said of cells."""
    crossbar, slicing = arch.crossbar, table.slicing
    if (slicing in PAIRED) != bool(crossbar.differential):
        return f'is "{slicing}", beside crossbar.differential = {str(bool(crossbar.differential)).lower()}: change one'
    if slicing == "twos-complement" and not crossbar.cell_bits:
        return 'is "twos-complement", which is of bits: give crossbar.cell_bits, too'
    if slicing == "two-sided" and crossbar.cell_bits and (table.weight_bits or 0) > crossbar.cell_bits:
        return f'is "two-sided", where a weight is not sliced: give weight_bits of at most {crossbar.cell_bits}'
    return ""


def _of_pairs(what: str, arch: Any) -> str:
    """What is wrong with a key of pairs of cells, where a digit is in one."""
    return (
        "" if arch.crossbar.differential else f"{what}, of which crossbar.differential = false has none: leave it out"
    )


def _of_one_bit(what: str, arch: Any) -> str:
    """What is wrong with inputs that switch cells, where voltages have several levels."""
    bits = arch.crossbar.dac_bits
    return "" if bits == 1 else f"{what}, which is of inputs of one bit: set crossbar.dac_bits to 1"


def _beside_pairs(arch: Any) -> str:
    """What is wrong with both cells of a pair in one column."""
    if arch.mapping.pairs == "apart":
        return (
            'is true, beside mapping.pairs = "apart": a column that holds both cells is converted once, so change one'
        )
    return _of_pairs("is true, which is of pairs of cells", arch)


def _not_below(device: Device) -> str:
    """What is wrong with a lowest conductance that is none."""
    high = device.g_max_us or G_MAX_US
    return "" if device.g_min_us < high else f"is {device.g_min_us:g}, not below device.g_max_us {high:g}"  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class CellMapping:
    """How numbers become conductances and voltages, and currents become numbers again."""

    slicing: str | None = key(
        TextCheck(SLICINGS),
        "how signs are held: `differential`: a pair of cells, of which one holds the magnitude; `two-sided`: a pair"
        " whose cells move apart; `offset`: one cell, half of the range added; `twos-complement`: one cell, the"
        " uppermost bit in a cell of its own that counts negative; without it `differential` where"
        " `crossbar.differential` says so, else `offset`",
        implied=True,
        compiled=True,
        conflict=_unlike_cells,
    )
    weight_bits: int | None = key(
        NumberCheck(2, 24),
        "bits to which weights of floats are rounded, the sign among them; integers keep their own; without it they are"
        " not rounded (with `crossbar.cell_bits` 0), or 8",
        implied=True,
        compiled=True,
    )
    weight_percentile: float | None = key(
        Real(0.01),
        "the percentage of weights of floats that lie within the range of cells; what is larger is clipped; without it"
        " 100",
        implied=True,
        conflict=lambda table, arch: "exceeds 100, all weights" if table.weight_percentile > 100 else "",
    )
    weight_max: float | None = key(
        Real(1e-30),
        "the magnitude of a weight of floats that fills the range of cells, instead of the largest one",
        implied=True,
    )
    weight_scope: str | None = key(
        TextCheck(("group", "column")),
        "what shares a range of weights of floats: a whole array `group`, or each `column`; without it `group`",
        implied=True,
    )
    input_bits: int | None = key(
        NumberCheck(1, 24),
        "bits of an input of floats, the sign among them; integers keep their own; without it they are not rounded"
        " (without `crossbar.dac_bits`), or 8",
        implied=True,
    )
    input_range: str | None = key(
        TextCheck(INPUT_RANGES),
        "the range of inputs of floats: of each `vector` its largest magnitude, `fixed` as `input_max` says, or"
        " `calibrated` by `emu calibrate`; without it `vector`",
        implied=True,
        conflict=lambda table, arch: (
            _of_fixed(table, "input_max", table.input_max) if table.input_range == "fixed" else ""
        ),
    )
    input_max: float | None = key(
        Real(1e-30), "the magnitude of an input of floats that is a whole voltage", implied=True
    )
    input_signed: bool | None = key(
        FLAG,
        "whether inputs of floats may be negative; without it they may, and negative ones are clipped if not",
        implied=True,
    )
    input_coding: str | None = key(
        TextCheck(("sign-magnitude", "twos-complement", "levels")),
        "how inputs become voltages: `sign-magnitude`: of either sign; `twos-complement`: of one sign, the uppermost"
        " bit in a pulse of its own that counts negative; `levels`: a power of two of levels, none of which is 0 if"
        " inputs have signs; without it `sign-magnitude`",
        implied=True,
    )
    input_slices: str | None = key(
        TextCheck(("apart", "together")),
        "whether the currents of the slices of inputs are converted `apart`, or added up as charges and converted"
        " `together`; without it `apart`",
        implied=True,
    )
    pairs: str | None = key(
        TextCheck(("together", "apart")),
        "whether the currents of a pair of cells are subtracted and converted `together`, or converted `apart`;"
        " without it `together`",
        implied=True,
        conflict=lambda table, arch: _of_pairs(f'is "{table.pairs}", which is of pairs of cells', arch),
    )
    zero: str | None = key(
        TextCheck(("digital", "column")),
        "what is taken from currents of one cell per weight to get signs back: what is computed of the inputs"
        " (`digital`), or the current of one more `column` that holds zeros; without it `digital`",
        implied=True,
        conflict=lambda table, arch: (
            'is "column", but pairs of cells (crossbar.differential) have no zero to take away: leave it out'
            if table.zero == "column" and arch.crossbar.differential
            else ""
        ),
    )
    adc_range: str | None = key(
        TextCheck(ADC_RANGES),
        "what the codes of converters span: `full`: all that the rows in use can give, in steps of at least the"
        " smallest difference of currents; `unit`: steps of that difference, beyond the codes currents are clipped;"
        " `span`: all that the rows in use can give, exactly; `span-sliced`: the same, as CrossSim spans it where"
        " weights are sliced; `fixed`: as `adc_limits` says; `calibrated`: as `emu calibrate` says; without it `full`",
        implied=True,
        conflict=lambda table, arch: (
            _of_fixed(table, "adc_limits", table.adc_limits) if table.adc_range == "fixed" else ""
        ),
    )
    adc_limits: tuple[tuple[float, float], ...] | None = key(
        Limits(),
        "the lowest and the highest current that codes stand for, one pair for all slices of weights or one for each,"
        " the lowest bits first; in currents of one cell of the highest conductance at the whole voltage",
        implied=True,
    )
    adc_codes: str | None = key(
        TextCheck(("symmetric", "all")),
        "the codes of a converter of n bits: `symmetric`: 2^n - 1, the middle one 0, where currents have signs;"
        " `all`: 2^n; without it `symmetric`",
        implied=True,
    )
    adc_noise: float | None = key(
        Real(),
        "the standard deviation of what converters add to a current before it becomes a code, in currents of one cell"
        " of the highest conductance at the whole voltage; without it 0",
        implied=True,
        conflict=lambda table, arch: (
            'is of single conversions, which input_slices = "together" with column_limit, device.iv or wires.gated has'
            " not: leave one out"
            if table.adc_noise
            and table.input_slices == "together"
            and (table.column_limit or arch.wires.gated or arch.device.iv not in (None, "ohmic"))
            else ""
        ),
    )
    column_limit: float | None = key(
        Real(1e-9),
        "the largest current of a column, in currents of one cell of the highest conductance at the whole"
        " voltage; beyond it currents are clipped",
        implied=True,
    )
    compensation: str | None = key(
        TextCheck(("none", "global", "column")),
        "what is done about drift: outputs of a group, or of each column, are scaled by what a reading of known inputs"
        " gives, compared with the same after programming; without it `none`",
        implied=True,
    )


@dataclass(frozen=True, slots=True)
class Device:
    """The cells: their conductances, how well they are programmed, and what becomes of them."""

    g_min_us: float | None = key(
        Real(),
        "the lowest conductance of a cell in uS; without it 0",
        implied=True,
        conflict=lambda device, arch: _not_below(device),
    )
    g_max_us: float | None = key(
        Real(1e-6), "the highest conductance of a cell in uS; without it 25 (a scale alone)", implied=True
    )
    read_v: float | None = key(Real(1e-6), "the whole voltage of a word line in V; without it 0.2", implied=True)
    programming: str | None = key(
        TEXT,
        "the model of errors of programming (`emu arch --cells` lists them); without it there are none",
        implied=True,
    )
    programming_sigma: float | None = key(
        Real(), "the standard deviation of errors of programming, as a share of what the model says", implied=True
    )
    read_noise: str | None = key(
        TEXT, "the model of noise of each reading (`emu arch --cells`); without it there is none", implied=True
    )
    read_sigma: float | None = key(
        Real(), "the standard deviation of noise of each reading, as a share of what the model says", implied=True
    )
    drift: str | None = key(
        TEXT, "the model of what time does to conductances (`emu arch --cells`); without it they stay", implied=True
    )
    time_s: float | None = key(Real(), "seconds from programming to reading; without it 0", implied=True)
    iv: str | None = key(
        TextCheck(("ohmic", "cubic", "milo")),
        "the current of a cell over its voltage: `ohmic`: proportional; `cubic`: G (V - V^3 / 4); `milo`: as of the"
        " published ReRAM; without it `ohmic`",
        implied=True,
    )
    clip: bool | None = key(
        FLAG,
        "whether conductances stay between the lowest and the highest one, whatever errors say; without it they"
        " stay above 0 alone",
        implied=True,
    )
    verify_pulses: int | None = key(
        NumberCheck(1, 1000),
        "pulses that programming a cell takes at most, until its error is within `verify_tolerance`; without it 1",
        implied=True,
    )
    verify_tolerance: float | None = key(
        Real(), "the error of a cell that is good enough, as a share of the highest conductance", implied=True
    )


@dataclass(frozen=True, slots=True)
class Faults:
    """Cells that do not do what they are told."""

    stuck_off: float | None = key(
        Real(),
        "the share of cells that stay at the lowest conductance; without it 0",
        implied=True,
        conflict=lambda faults, arch: (
            "and faults.stuck_on are more than all cells"
            if (faults.stuck_off or 0) + (faults.stuck_on or 0) > 1
            else ""
        ),
    )
    stuck_on: float | None = key(
        Real(),
        "the share of cells that stay at the highest conductance; without it 0",
        implied=True,
        conflict=lambda faults, arch: "exceeds 1, all cells" if (faults.stuck_on or 0) > 1 else "",
    )


@dataclass(frozen=True, slots=True)
class Wires:
    """The resistances between cells; without any of them there are none."""

    row_ohm: float | None = key(Real(), "of a word line from one cell to the next, in ohm", implied=True)
    col_ohm: float | None = key(Real(), "of a bit line from one cell to the next, in ohm", implied=True)
    row_end_ohm: float | None = key(Real(), "from the driver to the first cell of a word line, in ohm", implied=True)
    col_end_ohm: float | None = key(Real(), "from the last cell of a bit line to what senses it, in ohm", implied=True)
    gated: bool | None = key(
        FLAG,
        "whether inputs switch cells on and off that a wire along the column supplies, instead of driving word lines;"
        " then voltages are of one bit",
        implied=True,
        conflict=lambda wires, arch: _of_one_bit("is true", arch) if wires.gated else "",
    )
    interleaved: bool | None = key(
        FLAG,
        "whether both cells of a pair stand in one column, each with a word line of its own",
        implied=True,
        conflict=lambda wires, arch: _beside_pairs(arch) if wires.interleaved else "",
    )
    unused: str | None = key(
        TextCheck(("top", "bottom")),
        "where the rows of an array stand that are in use: at the `top`, far from what senses columns, or at the"
        " `bottom`; without it the `top`",
        implied=True,
    )


@dataclass(frozen=True, slots=True)
class Draws:
    """What random numbers depend on beside the place of what is drawn: the seed, and which samples are a trial."""

    seed: int | None = key(NumberCheck(0, (1 << 63) - 1), "the seed of all that is random; without it 0", implied=True)
    samples: int | None = key(
        NumberCheck(1, 1 << 40),
        "samples of one trial: those after them are on newly programmed cells; without it all are one trial",
        implied=True,
    )
    first: int | None = key(NumberCheck(0, 1 << 40), "the number of the first trial; without it 0", implied=True)
