"""Address terms over loop counters: what they add, and between which bounds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from emu.isa.address import Term
from emu.program.nesting import nesting, operand_owner, term_owner
from emu.program.section import Section


class Bounds(NamedTuple):
    """The lowest and the highest value, or the bytes [low, high), int64 each."""

    low: np.ndarray
    high: np.ndarray


def added(count: np.ndarray, stride: np.ndarray, offset: np.ndarray, modulus: np.ndarray) -> np.ndarray:
    """Bytes that terms add at counters `count`, as `Term.value`, int64; all of them of one shape, or numbers."""
    return stride * np.where(modulus > 0, (count + offset) % np.maximum(modulus, 1), count)


def level_values(terms: Iterable[Term], low: int, high: int) -> np.ndarray:
    """What the terms of one counter add at each of its values [low, high)."""
    count, values = np.arange(low, high), np.zeros(high - low, np.int64)
    for term in terms:
        values += term.at(count)
    return values


def address_bounds(section: Section) -> Bounds:
    """Per operand of a validated section: bounds of its address in all iterations, registers taken as 0.

    Loops without iterations count as one.
    """
    col, operand = section.columns, term_owner(section)
    low, high = col["base"].copy(), col["base"].copy()
    loops = nesting(section).enclosing(operand_owner(section)[operand], col["loop"])
    first, last = _counters(col, np.maximum(col["n"][loops] - 1, 0))
    ends = np.stack((first * col["tstride"], last * col["tstride"]))
    np.add.at(low, operand, ends.min(axis=0))
    np.add.at(high, operand, ends.max(axis=0))
    return Bounds(low, high)


def _counters(col: dict[str, np.ndarray], last: np.ndarray) -> Bounds:
    """Per term: bounds of what offset and modulus make of the counters 0 to `last`; compare `Term.counts`."""
    modulus = col["modulus"]
    start = np.where(modulus > 0, col["toffset"] % np.maximum(modulus, 1), 0)
    wraps = (modulus > 0) & (start + last >= modulus)
    return Bounds(np.where(wraps, 0, start), np.where(wraps, modulus - 1, start + last))
