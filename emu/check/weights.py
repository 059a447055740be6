"""Property: every product meets a group of which all weights are on its crossbars.

Groups in a core's bank take the crossbars of each other: see `GroupSpec`. What is on them when a loop or a sample
begins again is what was there at the end of the one before; that is the same from the second time on, because an
instruction writes the same rows whatever was there. So each loop is followed twice, and so is `main`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from emu.check.bank import CheckedBank, Write, at_last_turn
from emu.check.verdict import PROVED, Finding, PropertyResult
from emu.core.trap import INIT_SAMPLE
from emu.isa.codes import ON_GROUP, WRITES_GROUP
from emu.noc.deadlock.place import place_of
from emu.operands.loop_tree import Item, Loop, loop_tree
from emu.operands.timeline import ListingBudget, TooMuch
from emu.program.group import NOT_WRITTEN
from emu.replay.core_view import FIRST_SAMPLE, CoreView, SectionView

MAX_FOLLOWED = 1 << 22  # uses of groups that are followed, in all loops and samples
FOLLOWED = 2  # turns of a loop that writes
Fault = tuple[int, tuple[int, ...]]  # an instruction, and the counters of the loops around it


def check_weights(core: CoreView) -> PropertyResult:
    """Refuted by the first product that would trap, in the first sample or in a later one; why is told with it."""
    program = core.program
    if not any(group.shares for group in program.groups):
        return PROVED
    bank, budget = CheckedBank(program), ListingBudget(MAX_FOLLOWED)
    for name, sample in (("init", FIRST_SAMPLE), ("main", FIRST_SAMPLE), ("main", FIRST_SAMPLE + 1)):
        view = core.sections[name]
        try:
            fault = _Section(view, bank, budget, sample).run()
        except TooMuch as much:
            return PropertyResult.unproved(f"core {program.core}, {name}: {much}")
        if fault is not None:
            index, counters = fault
            where = place_of(program, name, index, counters, _numbered(name, sample))
            group = int(view.section.columns["arg0"][index])
            because, other = bank.why(group)
            finding = Finding(program.core, where, NOT_WRITTEN, "group", group, because=because, other=other)
            return PropertyResult.refuted(finding)
    return PROVED


def _numbered(section: str, sample: int) -> int:
    return INIT_SAMPLE if section == "init" else sample


class _Section:
    """Follows the uses of groups of the bank through a section, in a sample."""

    def __init__(self, view: SectionView, bank: CheckedBank, budget: ListingBudget, sample: int) -> None:
        self._columns, self._bank, self._budget = view.section.columns, bank, budget
        self._name, self._sample = view.name, _numbered(view.name, sample)
        on_group = np.flatnonzero(ON_GROUP[self._columns["op"]] & view.timeline.runs)
        shares = np.array([group.shares for group in view.program.groups], np.bool_)
        number = self._columns["arg0"][on_group]
        known = (number >= 0) & (number < len(shares))  # what else there is, `references` refutes
        chosen = on_group[known][shares[number[known]]]
        self._items = loop_tree(view.section, chosen)
        self._writes = chosen[WRITES_GROUP[self._columns["op"][chosen]]].tolist()

    def run(self) -> Fault | None:
        """The first product that would trap, with the bank as it is now."""
        return self._follow(self._items, ())

    def _follow(self, items: Sequence[Item], counters: tuple[int, ...]) -> Fault | None:
        for item in items:
            if isinstance(item, Loop):
                fault = self._loop(item, counters) if item.marked else None
            else:
                faults = (self._use(index, counters) for index in item.marks)
                fault = next((fault for fault in faults if fault is not None), None)
            if fault is not None:
                return fault
        return None

    def _loop(self, loop: Loop, counters: tuple[int, ...]) -> Fault | None:
        writes = bisect_left(self._writes, loop.index) < bisect_left(self._writes, loop.end)
        for count in range(min(loop.trips, FOLLOWED if writes else 1)):
            fault = self._follow(loop.body, (*counters, count))
            if fault is not None:
                return fault
        if writes and loop.trips > FOLLOWED:
            reach = loop.index, loop.end
            self._bank.turn(lambda write: at_last_turn(write, self._name, reach, counters, loop.trips))
        return None

    def _use(self, index: int, counters: tuple[int, ...]) -> Fault | None:
        self._budget.take(1)
        col = self._columns
        group = int(col["arg0"][index])
        if WRITES_GROUP[col["op"][index]]:
            write = Write(self._name, self._sample, index, counters, group)
            self._bank.write(write, int(col["arg1"][index]), int(col["n"][index]))
            return None
        return None if self._bank.is_whole(group) else (index, counters)
