"""PUMA (Ankit et al., ASPLOS 2019), as its simulator has it: input slices + 3 - 1 stages, each as long as converting
all bit lines of an array (puma-simulator, src/ima.py): 2304 ns for 16-bit inputs and 128 columns at 1 ns.
"""

from __future__ import annotations

import numpy as np

from emu.timing.model.costs import WHOLE
from emu.timing.model.product import Product, ProductTime, bus_time
from emu.timing.model.subject import Subject
from emu.timing.models.row import Model

_DEPTH = 3  # read, convert, add


def _product(subject: Subject, product: Product, read: np.ndarray, write: np.ndarray) -> ProductTime:
    converting = product.conversions * subject.ps("timing.adc.convert_ns")
    active = (product.steps + _DEPTH - 1) * max(converting, subject.ps("timing.crossbar.read_ns"))
    return ProductTime(active + bus_time(subject, product), WHOLE, active)


PUMA = Model(
    "puma", "Ankit et al., ASPLOS 2019, and its simulator: (input slices + 2) conversions of an array", _product
)
