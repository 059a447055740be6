"""How long an MVM unit takes for a product, by the chip's cost model: what peaks are computed from.

A product is that of a vector of inputs with one matrix of crossbar size, all bits of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil

from emu.arch import Arch
from emu.timing.chip.needed import needed

_READ, _CONVERT = "timing.crossbar.read_ns", "timing.adc.convert_ns"


@dataclass(frozen=True, slots=True)
class ProductTime:
    """Figures that a model needs, and the time from one product of an MVM unit to its next, in ns.

    `interval` takes the figures by key, the number of slices of the input bits, the conversions that each converter
    makes one after the other, and the groups of word lines that are driven one after the other.
    """

    keys: tuple[str, ...]
    interval: Callable[[Mapping[str, float], int, int, int], float]


def _isaac(figures: Mapping[str, float], slices: int, conversions: int, drives: int) -> float:
    """ISAAC, section VI: a slice per cycle, a cycle being one read; conversions hide behind the next read."""
    cycle = max(figures[_READ], conversions * figures[_CONVERT])
    return slices * drives * cycle


def _cim_mlc(figures: Mapping[str, float], slices: int, conversions: int, drives: int) -> float:
    """CIM-MLC: a read for each slice and group of word lines, with its conversions."""
    return slices * drives * figures[_READ]


def _puma(figures: Mapping[str, float], slices: int, conversions: int, drives: int) -> float:
    """puma-simulator, ima.py: (slices + 3 - 1) stages (read, convert, add), each as long as the longer of the first."""
    stage = max(figures[_READ], conversions * figures[_CONVERT])
    return (slices * drives + 2) * stage


def _pipeline(figures: Mapping[str, float], slices: int, conversions: int, drives: int) -> float:
    """pimsim-nn, XbarArray: front (drive, read, hold) and back (convert, add, put out), overlapped if pipelined."""
    add = figures["timing.shift_add.latency_ns"] + figures["timing.output_register.latency_ns"]
    convert = figures["timing.adc.convert_ns"]
    front = (
        figures["timing.dac.latency_ns"] + figures["timing.crossbar.read_ns"] + figures["timing.sample_hold.latency_ns"]
    )
    back = convert + add + (conversions - 1) * max(convert, add)
    steps = slices * drives
    if figures["timing.pipelined"]:
        return front + back + (steps - 1) * max(front, back)
    return (front + back) * steps


PRODUCT_TIMES: Mapping[str, ProductTime] = {
    "isaac": ProductTime((_READ, _CONVERT), _isaac),
    "puma": ProductTime((_READ, _CONVERT), _puma),
    "cim-mlc": ProductTime((_READ,), _cim_mlc),
    "pipeline": ProductTime(
        (
            *(_READ, _CONVERT, "timing.pipelined", "timing.dac.latency_ns", "timing.sample_hold.latency_ns"),
            *("timing.shift_add.latency_ns", "timing.output_register.latency_ns"),
        ),
        _pipeline,
    ),
}


def product_keys(arch: Arch) -> tuple[str, ...]:
    """The figures that `product_ns` needs of this chip."""
    return ("crossbar.dac_bits", *PRODUCT_TIMES[model_of(arch)].keys)


def model_of(arch: Arch) -> str:
    """The chip's cost model."""
    return (arch.timing.model if arch.timing else None) or "pipeline"


def product_ns(arch: Arch, input_bits: int) -> float:
    """Time from one product of an MVM unit to its next, in ns; raises ArchError with all figures that are missing."""
    figures = needed(arch, product_keys(arch), "for the time of a product")
    crossbar = arch.crossbar
    slices = ceil(input_bits / figures["crossbar.dac_bits"])
    conversions = ceil(crossbar.cols / (crossbar.adc_count or crossbar.cols))
    drives = ceil(crossbar.rows / crossbar.driven_rows)
    return PRODUCT_TIMES[model_of(arch)].interval(figures, slices, conversions, drives)
