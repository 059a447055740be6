"""ISAAC (Shafiee et al., ISCA 2016), section VI: a pipeline of cycles, 22 for a product of 16-bit inputs.

Cycle 1 reads the eDRAM into the input register, 2 to 17 read the arrays bit by bit, 18 converts the last, 19 and 20
shift and add and put out, 21 is the sigmoid, 22 writes the eDRAM. A product may follow 16 cycles after the last.
Programs of a tile are scheduled statically: only operands and units are in the way of what is next, for which a window
of 16 stands.
"""

from __future__ import annotations

import numpy as np

from emu.timing.model.product import Product, ProductTime
from emu.timing.model.subject import Subject
from emu.timing.models.row import Model

_STAGES = "timing.shift_add.latency_ns", "timing.output_register.latency_ns"


def _product(subject: Subject, product: Product, read: np.ndarray, write: np.ndarray) -> ProductTime:
    """Reading and writing take whole cycles; conversions hide behind the next read if they are as fast."""
    convert = subject.ps("timing.adc.convert_ns")
    cycle = max(subject.ps("timing.crossbar.read_ns"), product.conversions * convert)
    busy = product.steps * cycle
    stages = sum(map(subject.ps, _STAGES)) + subject.special
    compute = busy + cycle + stages + _rest(read, cycle) + _rest(write, cycle)
    return ProductTime(compute, np.maximum(busy - read, 0), busy)


def _rest(times: np.ndarray, cycle: int) -> np.ndarray:
    """What is missing to whole cycles, and to one at least."""
    return np.maximum(-(-times // cycle), 1) * cycle - times


ISAAC = Model("isaac", "Shafiee et al., ISCA 2016, section VI: cycles of a crossbar read", _product, window=16)
