"""Static bounds of addresses: the hull of every operand over its iteration box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.program.nesting import Nesting, nesting, operand_owner, term_owner
from emu.program.section import Section


@dataclass(frozen=True, eq=False)
class Hulls:
    """Per operand: the instruction it belongs to, and the lowest and highest byte address of its first element.

    Where `register` is set, a register's value comes on top of both. Loops without iterations count as one.
    """

    instruction: np.ndarray
    low: np.ndarray
    high: np.ndarray
    register: np.ndarray


def address_hulls(section: Section) -> Hulls:
    """Bounds of all operand addresses of a validated section."""
    col = section.columns
    owner, operand = operand_owner(section), term_owner(section)
    low, high = col["base"].copy(), col["base"].copy()
    count_low, count_high = counter_ranges(section, nesting(section), owner[operand])
    ends = np.stack((count_low * col["tstride"], count_high * col["tstride"]))
    np.add.at(low, operand, ends.min(axis=0))
    np.add.at(high, operand, ends.max(axis=0))
    return Hulls(owner, low, high, col["reg"] >= 0)


def counter_ranges(section: Section, loops: Nesting, instruction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Per term (of the given instruction): lowest and highest value of its counter, after offset and modulo."""
    col = section.columns
    last = np.maximum(col["n"][loops.enclosing(instruction, col["loop"])] - 1, 0)
    modulus = col["modulus"]
    start = np.where(modulus > 0, col["toffset"] % np.maximum(modulus, 1), 0)
    wraps = (modulus > 0) & (start + last >= modulus)
    return np.where(wraps, 0, start), np.where(wraps, modulus - 1, start + last)
