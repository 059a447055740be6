"""How many bits values take on a chip: integers as many as their type has, floats those of the chip's own numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from emu.arch import Arch
from emu.isa.dtypes import DType
from emu.operands.accesses import Accesses
from emu.program.program import Program


@dataclass(frozen=True, slots=True)
class Widths:
    """`float_bits` of a value of a floating-point type (None: what the type has), `raw_bits` of a byte without type."""

    float_bits: int | None = None
    raw_bits: int = 8

    def of(self, dtype: DType) -> int:
        """Bits of one value of a type."""
        return self.float_bits if dtype.is_float and self.float_bits else 8 * dtype.size

    @property
    def table(self) -> np.ndarray:
        """The same by type of operands (`Accesses.type`), int64 [types]."""
        return np.array([*(self.of(dtype) for dtype in DType), self.raw_bits], np.int64)


def widths_of(arch: Arch, programs: Iterable[Program]) -> Widths:
    """The widths on this chip.

    What is copied, sent, loaded and stored has no type. Where all array groups multiply values of one floating-point
    type, its bytes count as parts of such values; otherwise as bytes.
    """
    float_bits = arch.timing.float_bits if arch.timing else None
    inputs = {group.input for program in programs for group in program.groups}
    kind = next(iter(inputs)) if len(inputs) == 1 else None
    if float_bits is None or kind is None or not kind.is_float:
        return Widths(float_bits)
    return Widths(float_bits, max(1, 8 * float_bits // (8 * kind.size)))


def run_bytes(accesses: Accesses, bits: np.ndarray) -> np.ndarray:
    """Per operand, bytes on the chip of each run that it accesses; `bits` [operands] are those of one element."""
    return -(-accesses.widths * bits // (8 * accesses.size))
