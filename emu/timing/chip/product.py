"""How long an MVM unit takes for a product, by the chip's cost model: what peaks are computed from.

A product is that of a vector of inputs with one matrix of crossbar size, all bits of both.
"""

from __future__ import annotations

from math import ceil

from emu.arch import Arch
from emu.arch.cost_models import COST_MODELS, GENERIC, Figures, Model, Product
from emu.timing.chip.needed import figure, needed


def model_of(arch: Arch) -> Model:
    """The chip's cost model."""
    return COST_MODELS[(arch.timing.model if arch.timing else None) or GENERIC]


def product_keys(arch: Arch) -> tuple[str, ...]:
    """The figures that `product_ns` needs of this chip."""
    return ("crossbar.dac_bits", *model_of(arch).keys)


def product_ns(arch: Arch, input_bits: int) -> float:
    """Time from one product of an MVM unit to its next, in ns; raises ArchError with all figures that are missing."""
    known, crossbar = needed(arch, product_keys(arch), "for the time of a product"), arch.crossbar
    width = int(figure(arch, "timing.bus.width_bytes") or 1)
    cols = crossbar.cols // arch.side_by_side(arch.slices(input_bits))
    product = Product(
        slices=ceil(input_bits / known["crossbar.dac_bits"]),
        drives=ceil(crossbar.rows / crossbar.driven_rows),
        conversions=crossbar.conversions(crossbar.cols),
        words=sum(ceil(ceil(count * input_bits / 8) / width) for count in (crossbar.rows, cols)),
    )
    figures = Figures(lambda key: figure(arch, key) or 0.0, bool(figure(arch, "timing.pipelined")))
    time = model_of(arch).product(figures, product, 0, 0)
    return time.active + time.around
