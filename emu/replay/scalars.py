"""Values of the scalar registers over time, by following the scalar instructions alone."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from emu.core.scalar import Scalar, arguments, make_scalar
from emu.isa.codes import tabulate
from emu.operands.timeline import SectionTimeline, TooMuch
from emu.program.section import Section

MAX_SCALARS = 4_000_000  # executions of scalar instructions followed per section
SETS_CONSTANT = tabulate(lambda row: row.scalar is int, np.bool_)
WRITES_REGISTER = tabulate(lambda row: "rd" in row.fields, np.bool_)


@dataclass(slots=True)
class _Writes:
    """The writes of one register, in order; the first entry is the cleared register at the start of the section."""

    times: list[int] = field(default_factory=lambda: [-1])
    values: list[int] = field(default_factory=lambda: [0])
    known: list[bool] = field(default_factory=lambda: [True])


@dataclass(frozen=True, eq=False)
class Scalars:
    """Registers as step functions of time. `reason` tells why all are unknown, if they are."""

    columns: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]]  # by register: times, values, known
    reason: str = ""

    def at(self, register: int, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values that the executions at `times` find, and whether they are known."""
        when, values, known = self.columns[register]
        write = np.searchsorted(when, times, "left") - 1  # a write at the same step comes later
        return values[write], known[write]

    def extent(self, register: int, first: int, last: int) -> tuple[int, int] | None:
        """Lowest and highest value between two steps; None if one is unknown."""
        when, values, known = self.columns[register]
        low, high = np.searchsorted(when, [first, last], "left").tolist()
        if not known[low - 1 : high].all():
            return None
        return int(values[low - 1 : high].min()), int(values[low - 1 : high].max())


def follow(section: Section, timeline: SectionTimeline, registers: int) -> Scalars:
    """The values of all registers in one pass over `section`; what `sld` loads is unknown."""
    writes = [_Writes() for _ in range(registers)]
    reason = ""
    scalar = np.flatnonzero(WRITES_REGISTER[section.columns["op"]])
    used = bool((section.columns["reg"] >= 0).any())
    if used and len(scalar):
        try:
            times, order = timeline.trace(scalar, MAX_SCALARS, "executions of scalar instructions to follow")
            _run(section, times.tolist(), order.tolist(), writes)
        except TooMuch as much:
            reason = str(much)
            writes = [_Writes(known=[False]) for _ in range(registers)]
    columns = {
        register: (np.array(w.times), np.array(w.values, np.int64), np.array(w.known))
        for register, w in enumerate(writes)
    }
    return Scalars(columns, reason)


def _run(section: Section, times: list[int], order: list[int], writes: list[_Writes]) -> None:
    values, known = [0] * len(writes), [True] * len(writes)
    prepared: dict[int, tuple[list[int], Scalar | None]] = {}
    op, rd, imm = (section.columns[name][order] for name in ("op", "arg0", "imm"))
    rows = zip(times, order, SETS_CONSTANT[op].tolist(), rd.tolist(), imm.tolist(), strict=True)
    for time, index, constant, target, number in rows:
        if constant:  # most of the scalar instructions of unrolled programs
            values[target], known[target] = int(number), True
        else:
            if index not in prepared:
                instr = section.decode(index)
                prepared[index] = arguments(instr)[1], make_scalar(instr)
            sources, compute = prepared[index]
            # What is loaded is unknown, and so is what is made from it.
            known[target] = compute is not None and all(known[source] for source in sources)
            values[target] = compute(values) if compute is not None and known[target] else 0
        written = writes[target]
        written.times.append(time)
        written.values.append(values[target])
        written.known.append(known[target])
