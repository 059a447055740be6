"""Where a chip stands between two turns, as values: enough to put it back there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from emu.core.crossbars.bank import BankCrossbar
from emu.core.crossbars.origin import Origin
from emu.core.definedness import Range
from emu.core.engines.core import Core
from emu.isa.instruction import CrossbarUse
from emu.isa.table import BY_CODE
from emu.noc.in_process.round_robin import SchedulerState
from emu.program.nesting import loops_around
from emu.program.program import Program

_WRITING = [code for code, row in BY_CODE.items() if row.crossbar is CrossbarUse.WRITE]
_ALL = np.ones(1, np.bool_)


@dataclass(frozen=True, slots=True)
class CoreMoment:
    """One core: its defined bytes, registers, position, and the array groups that its program can write.

    Of a group in the bank there are the rows `held`, if any; without one in `held` all are there.
    """

    ranges: Sequence[Range]
    content: bytes  # of all ranges, one after the other
    registers: Sequence[int]
    index: int  # that of an instruction; the length of the section at its end
    counters: Sequence[int]
    groups: Mapping[int, np.ndarray]
    held: Mapping[int, np.ndarray]  # bool [rows]

    @property
    def nbytes(self) -> int:
        """What it takes, nearly."""
        return len(self.content) + sum(array.nbytes for array in self.groups.values())


@dataclass(frozen=True, slots=True)
class Moment:
    """The whole chip after `turns` turns; `stored` is what was written to global memory: address and bytes."""

    turns: int
    sample: int
    begun: Mapping[int, int]
    last: Mapping[int, int]
    captures: Mapping[tuple[int, int], bytes]
    scheduler: SchedulerState
    cores: Mapping[int, CoreMoment]
    stored: Sequence[tuple[int, bytes]]

    @property
    def nbytes(self) -> int:
        """What it takes, nearly, beside captures, which other moments may share."""
        return sum(core.nbytes for core in self.cores.values()) + sum(len(content) for _, content in self.stored)


def save_core(core: Core) -> CoreMoment:
    """Where `core` stands; its open request is the scheduler's to save."""
    state, memory = core.state, core.memory
    ranges = memory.known.ranges()
    content = b"".join(memory.window(low, high) for low, high in ranges)
    written = {number: state.groups[number] for number in _written_groups(state.program)}
    held = {number: group.held().copy() for number, group in written.items() if isinstance(group, BankCrossbar)}
    groups = {number: group.content().copy() for number, group in written.items() if held.get(number, _ALL).any()}
    sequencer = state.sequencer
    return CoreMoment(ranges, content, list(state.registers), sequencer.pc, list(sequencer.counters), groups, held)


def restore_core(core: Core, section: str, sample: int, moment: CoreMoment) -> None:
    """Stand in `section` of `sample` where `save_core` was called; no request is open."""
    state, memory = core.state, core.memory
    memory.known.reset(moment.ranges, memory.top)
    memory.top = max((high for _, high in moment.ranges), default=0)
    at = 0
    for low, high in moment.ranges:
        memory.window(low, high)[:] = moment.content[at : at + high - low]
        at += high - low
    state.begin(section, max(sample, 0))
    state.registers[:] = moment.registers
    _go_to(core, moment)
    for number in moment.held:
        cast(BankCrossbar, state.groups[number]).destroy()
    for group, weights in moment.groups.items():
        if group in moment.held:
            cast(BankCrossbar, state.groups[group]).put_back(weights, moment.held[group], Origin(state.position, 0))
        elif not np.array_equal(state.groups[group].content(), weights, equal_nan=weights.dtype.kind == "f"):
            state.groups[group].write(0, weights, Origin(state.position, 0))


def _go_to(core: Core, moment: CoreMoment) -> None:
    sequencer, section = core.state.sequencer, core.state.section
    if moment.index >= len(section):
        sequencer.stop()
        return
    for loop, count in zip(loops_around(section, moment.index), moment.counters, strict=True):
        sequencer.pc = loop
        sequencer.enter(count)
    sequencer.pc = moment.index


def _written_groups(program: Program) -> list[int]:
    """The array groups that the program may write."""
    found: set[int] = set()
    for section in (program.init, program.main):
        rows = np.isin(section.columns["op"], _WRITING)
        found |= set(section.columns["arg0"][rows].tolist())
    return sorted(group for group in found if 0 <= group < len(program.groups))
