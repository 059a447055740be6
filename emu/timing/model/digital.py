"""What scalar and vector instructions take: passes of so many lanes, dearer for functions such as tanh."""

from __future__ import annotations

from math import prod

import numpy as np

from emu.isa.codes import tabulate
from emu.isa.instruction import FIELD_COLUMNS, Price
from emu.timing.chip.needed import figure
from emu.timing.model.subject import ModelSubject

_ALL = 1 << 62  # lanes of a unit of which none are told: one pass does it
_PRICES = tuple(Price)
# The place in `_PRICES` of what an element of an instruction costs; -1 if the vector unit does not compute it.
_PRICE = tabulate(lambda row: -1 if row.price is None else _PRICES.index(row.price), np.int64)
IS_VECTOR = tabulate(lambda row: bool(row.kernel) and row.crossbar is None, np.bool_)
IS_SCALAR = tabulate(lambda row: row.scalar is not None, np.bool_)
_FACTORS = {
    field: tabulate(lambda row, field=field: field in row.fields, np.bool_) for field in ("m", "k", "n", "width")
}


def digital_times(subject: ModelSubject) -> np.ndarray:
    """Time (ps) of each scalar and vector instruction between reading and writing; counts passes and elements.

    Copies of raw bytes pass through the unit as fast as the memory gives them.
    """
    op, col = subject.op, subject.section.columns
    computed = IS_VECTOR[op] & (_PRICE[op] >= 0)
    factors = [np.where(having[op], col[FIELD_COLUMNS[field]], 1) for field, having in _FACTORS.items()]
    subject.refuse(np.where(computed, prod(factor.astype(np.float64) for factor in factors), 0.0))
    elements = np.where(computed, prod(factors), 0)
    passes = -(-elements // subject.whole("timing.vector.lanes", _ALL))
    subject.count("vector", "pass", passes)
    passes = np.maximum(passes, _turns(subject, elements))
    for place, price in enumerate(_PRICES):
        subject.count("vector", price.value, np.where(_PRICE[op] == place, elements, 0))
    plain = subject.ps("timing.vector.pass_ns")
    subject.count("scalar", "op", IS_SCALAR[op].astype(np.int64))
    lasts = np.where(_PRICE[op] == _PRICES.index(Price.SPECIAL), subject.special, plain)
    return subject.lasting(passes, lasts) + IS_SCALAR[op] * subject.ps("timing.scalar.op_ns")


def _turns(subject: ModelSubject, elements: np.ndarray) -> np.ndarray | int:
    """How long each instruction takes, in passes, by the core's share of what all cores may pass at once."""
    together = figure(subject.arch, "timing.vector.chip_lanes")
    if together is None:
        return 0
    subject.refuse(elements.astype(np.float64) * subject.cores)
    return -(-elements * subject.cores // int(together))
