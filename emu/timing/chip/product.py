"""How long an MVM unit takes for a product, by the chip's cost model: what peaks are computed from.

A product is that of a vector of inputs with one matrix of crossbar size, all bits of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil

from emu.arch import Arch
from emu.timing.chip.needed import figure, needed

_READ, _CONVERT = "timing.crossbar.read_ns", "timing.adc.convert_ns"
_WORD = "timing.bus.word_ns"


@dataclass(frozen=True, slots=True)
class ProductTime:
    """Figures that a model needs, and the time from one product of an MVM unit to its next, in ns.

    `interval` takes the figures by key, the number of slices of the input bits, the conversions that each converter
    makes one after the other, and the groups of word lines that are driven one after the other. `around` is what else
    the unit waits for before its next product, of a chip and the bits of an input.
    """

    keys: tuple[str, ...]
    interval: Callable[[Mapping[str, float], int, int, int], float]
    around: Callable[[Arch, int], float] = lambda arch, bits: 0.0


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


def _register_and_bus(arch: Arch, bits: int) -> float:
    """Filling the input register, and the bus that carries the inputs to the arrays, and the outputs back."""
    crossbar, width = arch.crossbar, int(figure(arch, "timing.bus.width_bytes") or 1)
    cols = crossbar.cols // arch.side_by_side(arch.slices(bits))
    words = sum(ceil(ceil(count * bits / 8) / width) for count in (crossbar.rows, cols))
    return (figure(arch, "timing.input_register.latency_ns") or 0.0) + words * (figure(arch, _WORD) or 0.0)


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
        _register_and_bus,
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
    times = PRODUCT_TIMES[model_of(arch)]
    return times.interval(figures, slices, conversions, drives) + times.around(arch, input_bits)
