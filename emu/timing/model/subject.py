"""What the parts of a cost model look at: a section, its chip, and helpers to add up what operands take."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from emu.arch import Arch
from emu.isa.codes import ASK_OF, OPERANDS_OF
from emu.isa.instruction import RequestKind
from emu.operands.accesses import Accesses
from emu.program.section import Section
from emu.replay.core_view import SectionView
from emu.timing.basis.refused import TimingRefused
from emu.timing.basis.units import picoseconds
from emu.timing.chip.needed import figure
from emu.timing.model.costs import Action
from emu.timing.model.widths import Widths, run_bytes
from emu.timing.network.network import NetworkTimes

LARGEST = 1 << 56  # ps of one instruction, or elements


@dataclass(frozen=True, eq=False)
class ModelSubject:
    """A section on a chip of which `cores` cores have programs. Counts that its parts find are gathered in `counts`."""

    view: SectionView
    widths: Widths
    network: NetworkTimes
    cores: int
    counts: dict[Action, np.ndarray]

    @property
    def arch(self) -> Arch:
        """The chip."""
        return self.view.arch

    @property
    def section(self) -> Section:
        """The instructions."""
        return self.view.section

    @property
    def accesses(self) -> Accesses:
        """Their operands."""
        return self.view.accesses

    @property
    def op(self) -> np.ndarray:
        """The opcodes, [instructions]."""
        return self.section.columns["op"]

    @cached_property
    def ask(self) -> np.ndarray:
        """What each instruction asks for from outside (`RequestKind`; 0: nothing), [instructions]."""
        return ASK_OF[self.op]

    def asks(self, *kinds: RequestKind) -> np.ndarray:
        """The instructions that ask for something of these kinds."""
        return np.logical_or.reduce([self.ask == kind for kind in kinds])

    def ps(self, key: str) -> int:
        """A time of the chip by its key; 0 if it is not known."""
        return picoseconds(figure(self.arch, key) or 0.0)

    @property
    def special(self) -> int:
        """Time (ps) of a pass of a function such as sigmoid; that of any pass if the chip does not tell."""
        return self.ps("timing.vector.special_ns") or self.ps("timing.vector.pass_ns")

    def whole(self, key: str, otherwise: int = 1) -> int:
        """A number of the chip by its key."""
        return int(figure(self.arch, key) or otherwise)

    def lasting(self, amounts: np.ndarray, ps: np.ndarray | int) -> np.ndarray:
        """`amounts` [instructions] times a duration (ps) each; raises TimingRefused for what nobody lives to see."""
        self.refuse(amounts.astype(np.float64) * ps)
        return amounts * ps

    def refuse(self, amounts: np.ndarray) -> None:
        """Raise TimingRefused if any of `amounts` [instructions], as floats, is more than can be reckoned with."""
        if amounts.max(initial=0.0) > LARGEST:
            raise TimingRefused(f"{self.view.text(int(np.argmax(amounts)))} takes more than 20 hours of simulated time")

    def zeros(self) -> np.ndarray:
        """A column of zeros, int64 [instructions]."""
        return np.zeros(len(self.section), np.int64)

    def count(self, component: str, action: str, amounts: np.ndarray, index: np.ndarray | None = None) -> None:
        """Add `amounts` [instructions], or those of the instructions `index`, to an action's counts."""
        column = self.counts.setdefault((component, action), self.zeros())
        if index is None:
            column += amounts
        else:
            column[index] += amounts

    @cached_property
    def bits(self) -> np.ndarray:
        """Bits of an element of each operand, int64 [operands]."""
        return self.widths.table[self.accesses.type]

    @cached_property
    def run_bytes(self) -> np.ndarray:
        """Bytes on the chip of each run of bytes that an operand accesses, int64 [operands]."""
        return run_bytes(self.accesses, self.bits)

    def per_instruction(self, amounts: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """The sums of `amounts` [operands] over the `chosen` operands of each instruction."""
        sums = self.zeros()
        np.add.at(sums, self.accesses.instruction[chosen], amounts[chosen])
        return sums

    @cached_property
    def raw_bytes(self) -> np.ndarray:
        """Bytes on the chip of the first operand of each request: its message. 0 for those without operands."""
        amounts, first = self.zeros(), self.section.columns["operand"]
        having = np.flatnonzero(OPERANDS_OF[self.op] > 0)
        rows = first[having]
        amounts[having] = -(-self.accesses.elements[rows] * self.widths.raw_bits // 8)
        return amounts
