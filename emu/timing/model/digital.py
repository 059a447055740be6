"""What scalar and vector instructions take: passes of so many lanes, dearer for functions such as tanh."""

from __future__ import annotations

from math import prod

import numpy as np

from emu.isa.codes import tabulate
from emu.isa.instruction import Family, Instruction
from emu.timing.chip.needed import figure
from emu.timing.model.subject import Subject

_MULTIPLY = {"multiply", "multiply immediate", "dot product", "matrix product", "product"}
_DIVIDE = {"divide", "divide immediate", "mean"}
_PLAIN = {"relu", "absolute", "negate", "floor", "ceiling", "round", "complement", "sign"}
_SPECIAL = {"power", "power of two operands"}
_ALL = 1 << 62  # lanes of a unit of which none are told: one pass does it
ACTIONS = ("op", "multiply", "divide", "special")


def _action(row: Instruction) -> int:
    """Which of `ACTIONS` an element of an instruction is; -1 if the vector unit does not compute it."""
    if not row.kernel or row.crossbar is not None or not row.types:
        return -1
    for action, kernels in ((1, _MULTIPLY), (2, _DIVIDE), (3, _SPECIAL)):
        if row.kernel in kernels:
            return action
    return 3 if row.family is Family.UNARY and row.kernel not in _PLAIN else 0


_ACTION = tabulate(_action, np.int64)
IS_VECTOR = tabulate(lambda row: bool(row.kernel) and row.crossbar is None, np.bool_)
IS_SCALAR = tabulate(lambda row: row.scalar is not None, np.bool_)
_FACTORS = {
    field: tabulate(lambda row, field=field: field in row.fields, np.bool_) for field in ("m", "k", "n", "width")
}
_COLUMNS = {"m": "arg0", "k": "arg1", "n": "n", "width": "arg1"}


def digital_times(subject: Subject) -> np.ndarray:
    """Time (ps) of each scalar and vector instruction between reading and writing; counts passes and elements.

    Copies of raw bytes pass through the unit as fast as the memory gives them.
    """
    op, col = subject.op, subject.section.columns
    computed = IS_VECTOR[op] & (_ACTION[op] >= 0)
    factors = [np.where(_FACTORS[field][op], col[column], 1) for field, column in _COLUMNS.items()]
    subject.refuse(np.where(computed, prod(factor.astype(np.float64) for factor in factors), 0.0))
    elements = np.where(computed, prod(factors), 0)
    passes = -(-elements // subject.whole("timing.vector.lanes", _ALL))
    subject.count("vector", "pass", passes)
    passes = np.maximum(passes, _turns(subject, elements))
    for action, name in enumerate(ACTIONS):
        subject.count("vector", name, np.where(_ACTION[op] == action, elements, 0))
    plain = subject.ps("timing.vector.pass_ns")
    special = subject.ps("timing.vector.special_ns") or plain
    subject.count("scalar", "op", IS_SCALAR[op].astype(np.int64))
    lasts = np.where(_ACTION[op] == ACTIONS.index("special"), special, plain)
    return subject.lasting(passes, lasts) + IS_SCALAR[op] * subject.ps("timing.scalar.op_ns")


def _turns(subject: Subject, elements: np.ndarray) -> np.ndarray | int:
    """How long each instruction takes, in passes, by the core's share of what all cores may pass at once."""
    together = figure(subject.arch, "timing.vector.chip_lanes")
    if together is None:
        return 0
    subject.refuse(elements.astype(np.float64) * subject.cores)
    return -(-elements * subject.cores // int(together))
