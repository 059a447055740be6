"""The generic model: arrays are read slice by slice of the input bits, and converted meanwhile if the chip overlaps that.

As `XbarArray` of pimsim-nn has it: a front (drive, read, hold) and a back (convert, add, put out) for each step.
"""

from __future__ import annotations

from emu.timing.model.product import Product
from emu.timing.model.subject import Subject
from emu.timing.models.row import Model


def _product(subject: Subject, product: Product) -> tuple[int, int]:
    """The whole time; the next product of the group may begin when the slower of front and back has done all steps."""
    stage = {name: subject.ps(f"timing.{name}.latency_ns") for name in ("dac", "sample_hold", "shift_add")}
    convert, add = subject.ps("timing.adc.convert_ns"), stage["shift_add"] + subject.ps("timing.output_register.latency_ns")
    front = stage["dac"] + subject.ps("timing.crossbar.read_ns") + stage["sample_hold"]
    back = convert + add + (product.conversions - 1) * max(convert, add)
    around = subject.ps("timing.input_register.latency_ns") + bus_time(subject, product)
    if not (subject.arch.timing and subject.arch.timing.pipelined):
        return around + product.steps * (front + back), WHOLE
    busy = product.steps * max(front, back)
    return around + front + back + busy - max(front, back), busy
