"""CIM-MLC (Qu et al., ASPLOS 2024): a product takes a read of its crossbars for each slice of the input bits, and that
for each group of word lines that may be driven at a time; the paper counts these reads as cycles, conversion included.
"""

from __future__ import annotations

import numpy as np

from emu.timing.model.product import Product, ProductTime, bus_time
from emu.timing.model.subject import Subject
from emu.timing.models.row import Model


def _product(subject: Subject, product: Product, read: np.ndarray, write: np.ndarray) -> ProductTime:
    """Operands are read while the product before is computed."""
    active = product.steps * subject.ps("timing.crossbar.read_ns")
    return ProductTime(active + bus_time(subject, product), np.maximum(active - read, 0), active)


CIM_MLC = Model(
    "cim-mlc",
    "Qu et al., ASPLOS 2024: input slices x groups of word lines, a read of the crossbars each",
    _product,
    window=16,
)
