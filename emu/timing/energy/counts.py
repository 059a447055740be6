"""How often each action happened: by component, core and node, as integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.timing.basis.result import SectionTiming
from emu.timing.model.costs import Action
from emu.timing.setup import Setup


@dataclass(frozen=True, eq=False)
class ActionCounts:
    """Columns [rows] of what is not 0: `action` is an index into `actions`, `source` one of the sources of the core's
    program (-1: none), `count` how often (int64).
    """

    actions: tuple[Action, ...]
    action: np.ndarray
    core: np.ndarray
    source: np.ndarray
    count: np.ndarray

    def totals(self) -> dict[Action, int]:
        """How often each action happened in all."""
        sums = np.zeros(len(self.actions), np.int64)
        np.add.at(sums, self.action, self.count)
        return {action: int(count) for action, count in zip(self.actions, sums.tolist(), strict=True) if count}

    def by_place(self) -> dict[tuple[int, int], dict[Action, int]]:
        """The same for each (core, source)."""
        found: dict[tuple[int, int], dict[Action, int]] = {}
        rows = zip(*(column.tolist() for column in (self.core, self.source, self.action, self.count)), strict=True)
        for core, source, action, count in rows:
            found.setdefault((core, source), {})[self.actions[action]] = count
        return found


def counts_of(setup: Setup, section: str, timing: SectionTiming) -> ActionCounts:
    """What the executions of `init`, or of all samples of `main`, count."""
    timed = {core: entry.sections[section] for core, entry in setup.cores.items()}
    actions = tuple(sorted({action for entry in timed.values() for action in entry.costs.counts}))
    place = {action: number for number, action in enumerate(actions)}
    rows: list[tuple[np.ndarray, ...]] = []
    for (core, entry), executions in zip(timed.items(), timing.executions, strict=True):
        sources = entry.view.section.columns["source"].astype(np.int64)
        found = np.zeros((len(place), int(sources.max(initial=-1)) + 2), np.int64)
        for action, amounts in entry.costs.counts.items():
            np.add.at(found[place[action]], sources + 1, amounts * executions)
        action, source = np.nonzero(found)
        rows.append((action, np.full(len(action), core), source - 1, found[action, source]))
    columns = [np.concatenate(column) for column in zip(*rows, strict=True)] if rows else [np.zeros(0, np.int64)] * 4
    return ActionCounts(actions, *columns)
