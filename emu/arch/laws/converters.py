"""Converters by bits, rate and node: two laws of ADCs, and two of DACs."""

from __future__ import annotations

from math import ceil, exp, log

from emu.arch.laws.law import ACTION, AREA, POWER, STATIC, TIME, Chip, Law, Measure

BITS, RATE, NODE, DAC_BITS = "crossbar.adc_bits", "timing.adc.convert_ns", "chip.node_nm", "crossbar.dac_bits"
FEWEST, MOST = 4, 20  # effective bits that the survey's fit knows


def survey_pj(bits: float, per_second: float, node_nm: float) -> float:
    """Energy of a conversion (pJ) by the survey: fewer bits than it has cost as much as its fewest."""
    bits = min(max(bits, FEWEST), MOST)
    noise = 20 * log(2, 10) * bits + 10 * log(1.5, 10)  # signal to noise and distortion, dB
    merit = min(213.7806687 - 2.871903040 * log(per_second), 128.3068287 + 3.220511511 * ceil(bits))  # dB
    regressed = exp(26.04962157 + 1.880036921 * log(node_nm) - 2.829125605 * log(bits) - 1.470202213)
    return regressed / (2 * 10 ** ((merit - noise) / 10))


def survey_um2(bits: float, per_second: float, node_nm: float) -> float:
    """Area of a converter (um2) by the survey."""
    energy = survey_pj(bits, per_second, node_nm)
    return exp(1.346191644 + 0.9932794745 * log(node_nm) + 0.1807153842 * log(per_second) + 0.2991242619 * log(energy))


def _point(chip: Chip) -> tuple[float, float, float]:
    return chip(BITS), 1e9 / chip(RATE), chip(NODE)


def _sar(linear_share: float, chip: Chip) -> float:
    """A part that is linear in the bits, and the capacitors, which double per bit; shares at 8 bits."""
    bits = chip(BITS)
    return linear_share * bits / 8 + (1 - linear_share) * 2 ** (bits - 8)


def sar_mw(chip: Chip) -> float:
    """Power of a SAR converter, 1 at 8 bits and a conversion per ns."""
    return _sar(0.937, chip) / chip(RATE)


def sar_um2(chip: Chip) -> float:
    """Area of a SAR converter, 1 at 8 bits."""
    return _sar(0.545, chip)


_SURVEYED = (BITS, RATE, NODE)
_SURVEY_PJ = Measure(
    "E = exp(24.5794 + 1.88004 ln t - 2.82913 ln b) / (2 x 10^((FOM - SNDR) / 10)) pJ, SNDR = 6.0206 b + 1.761 dB,"
    " FOM = min(213.781 - 2.8719 ln f, 128.307 + 3.22051 ceil(b)) dB",
    _SURVEYED,
    lambda chip: survey_pj(*_point(chip)),
)
_SURVEY_MW = Measure("E f", _SURVEYED, lambda chip: survey_pj(*_point(chip)) / chip(RATE))
_SURVEY_UM2 = Measure(
    "exp(1.34619 + 0.993279 ln t + 0.180715 ln f + 0.299124 ln E)", _SURVEYED, lambda chip: survey_um2(*_point(chip))
)
_SAR_PJ = Measure("E = 0.937 b / 8 + 0.063 x 2^(b - 8)", (BITS,), lambda chip: _sar(0.937, chip))
_SAR_MW = Measure("E f", (BITS, RATE), sar_mw)
_SAR_UM2 = Measure("0.545 b / 8 + 0.455 x 2^(b - 8)", (BITS,), sar_um2)
_DOUBLED = Measure("2^bits", (DAC_BITS,), lambda chip: 2.0 ** chip(DAC_BITS))

CONVERTERS = (
    Law(
        "adc-survey",
        ("adc",),
        {ACTION: _SURVEY_PJ, POWER: _SURVEY_MW, STATIC: _SURVEY_MW, AREA: _SURVEY_UM2},
        "Andrulis et al., arXiv 2404.06553: fit to the best ADCs of Murmann's survey (1997 to 2023), by effective bits"
        " b, conversions f per second and node t in nm",
        {BITS: (FEWEST, MOST), RATE: (0.1, None)},
    ),
    Law(
        "adc-sar",
        ("adc",),
        {ACTION: _SAR_PJ, POWER: _SAR_MW, STATIC: _SAR_MW, AREA: _SAR_UM2},
        "SAR converters: clock, memory and reference linear in the bits, capacitive DAC doubling; shares fitted to"
        " ISAAC's ADC at 4 to 10 bits in CiMLoop's components",
        {BITS: (4, 10)},
    ),
    Law(
        "dac-binary",
        ("dac",),
        dict.fromkeys((ACTION, POWER, STATIC, AREA), _DOUBLED),
        "DACs of capacitors or resistors: one unit per level (CiMLoop's components; MNSIM 2.0's table: 1 to 6 bits)",
        {DAC_BITS: (1, 8)},
    ),
    Law(
        "dac-pulse",
        ("dac", "crossbar"),
        {TIME: _DOUBLED},
        "DACs of pulse widths: one unit of time per level (CiMLoop's components)",
        {DAC_BITS: (1, 8)},
    ),
)
