"""Numbers of one sample that add up over instructions, and so over nodes, cores and images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from emu.isa.table import BY_CODE, LOOP

_LOOP = BY_CODE[LOOP].name


@dataclass(frozen=True, slots=True)
class InstructionCounts:
    """Of instructions of the section `main`; times and bytes are those of one sample.

    `written` counts the rows of the program by mnemonic, `executed` how often they run, a loop as often as it begins.
    Bytes of messages, loads and stores count in local memory, too. Of writes to crossbars: how often, rows, and cells
    with bit slices.
    """

    written: Counter[str] = field(default_factory=Counter[str])
    executed: Counter[str] = field(default_factory=Counter[str])
    local_read: int = 0
    local_written: int = 0
    loaded: int = 0
    stored: int = 0
    messages: int = 0  # that are sent
    sent: int = 0
    received: int = 0
    macs: int = 0
    write_events: int = 0
    written_rows: int = 0
    written_cells: int = 0

    @property
    def unrolled(self) -> Counter[str]:
        """As `executed`, without loops: how often an instruction does something."""
        return Counter({name: count for name, count in self.executed.items() if name != _LOOP})


NUMBERS = tuple(part.name for part in fields(InstructionCounts) if part.name not in ("written", "executed"))


def summed(parts: Iterable[InstructionCounts]) -> InstructionCounts:
    """All of them together."""
    mixes, sums = (Counter[str](), Counter[str]()), np.zeros(len(NUMBERS), object)
    for counts in parts:
        mixes[0].update(counts.written)
        mixes[1].update(counts.executed)
        sums += [getattr(counts, name) for name in NUMBERS]
    numbers: dict[str, Any] = dict(zip(NUMBERS, sums.tolist(), strict=True))
    return InstructionCounts(*mixes, **numbers)
