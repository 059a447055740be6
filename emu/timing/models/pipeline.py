"""The generic model: for each slice of the input bits a front (drive, read, hold) and a back (convert, add, put out).

`XbarArray` of pimsim-nn. If the chip is pipelined, the front of a step overlaps with the back of the one before.
"""

from __future__ import annotations

import numpy as np

from emu.timing.model.costs import WHOLE
from emu.timing.model.product import Product, ProductTime, bus_time
from emu.timing.model.subject import Subject
from emu.timing.models.row import Model


def _product(subject: Subject, product: Product, read: np.ndarray, write: np.ndarray) -> ProductTime:
    drive, hold, add, put = (
        subject.ps(f"timing.{stage}.latency_ns") for stage in ("dac", "sample_hold", "shift_add", "output_register")
    )
    convert, add = subject.ps("timing.adc.convert_ns"), add + put
    front = drive + subject.ps("timing.crossbar.read_ns") + hold
    back = convert + add + (product.conversions - 1) * max(convert, add)
    around = subject.ps("timing.input_register.latency_ns") + bus_time(subject, product)
    overlaps = subject.arch.timing is not None and subject.arch.timing.pipelined
    active = front + back + (product.steps - 1) * (max(front, back) if overlaps else front + back)
    return ProductTime(around + active, WHOLE, active)


PIPELINE = Model(
    "pipeline",
    "front and back of each step, overlapped or not, as XbarArray of pimsim-nn; one product after the other",
    _product,
)
