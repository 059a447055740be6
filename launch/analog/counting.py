"""Counts of every array group of a run: they lie in memory that the launcher shares with the processes of cores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from mmap import mmap
from typing import Any

import numpy as np

from emu.analog.counts import COUNTS, new_counts
from emu.core.crossbars.bank import BankCrossbar
from emu.core.crossbars.crossbar import Crossbar
from emu.core.crossbars.kinds.analog import AnalogCrossbar
from emu.core.engines.core import Core
from emu.noc.ports.resumable_core import ResumableCore
from emu.program.program import Program
from launch.processes.observer import Observation, ObservedHost, ProcessObserver

KEY = "counts"  # of what is observed


def _rows(memory: mmap | None, cores: int, most: int) -> np.ndarray:
    """The counts of `most` groups of each core, float64 [cores, most, COUNTS], in shared memory."""
    if memory is None:
        return np.zeros((cores, most, COUNTS))
    return np.frombuffer(memory, np.float64, cores * most * COUNTS).reshape(cores, most, COUNTS)


class CountObserver(ProcessObserver):
    """Lets the array groups of cores count in `memory`; `values` are groups per core, and whether all is counted."""

    def resumable(self, core: int, resumable: ResumableCore) -> ResumableCore:
        """The core itself, whose array groups count in the memory from now on."""
        if not isinstance(resumable, Core):
            raise TypeError(f"core {core} is driven through another observer already, which must come after this one")
        most, everything = self.values
        rows = _rows(self.memory, len(self.cores), most)[list(self.cores).index(core)]
        for row, group in zip(rows, resumable.state.groups, strict=False):
            row[:] = new_counts()
            counts = partial(_counts, row=row, everything=everything)
            if isinstance(group, BankCrossbar):
                group.each(counts)
            else:
                counts(group)
        return resumable


def _counts(group: Crossbar, row: np.ndarray, everything: bool) -> None:
    """Let a group count in `row`, if it counts."""
    if isinstance(group, AnalogCrossbar):
        group.count_into(row)
        if everything:
            group.watch()


class Counting(Observation):
    """Knows the counts of all array groups of a run; with `everything` also those that take time, as histograms."""

    observer = CountObserver

    def __init__(self, everything: bool = False) -> None:
        self._everything = everything
        self._groups: Mapping[int, int] = {}
        self._counts: np.ndarray | None = None

    def plan(self, programs: Mapping[int, Program]) -> tuple[int, bool]:
        """The values for the observer."""
        self._groups = {core: len(program.groups) for core, program in programs.items()}
        most = max(self._groups.values(), default=0)
        self.row = most * COUNTS * np.dtype(np.float64).itemsize
        return most, self._everything

    def begins(self, memory: mmap | None, hosts: Sequence[ObservedHost]) -> None:
        """The counts are in `memory`."""
        self._counts = _rows(memory, len(self._groups), max(self._groups.values(), default=0))

    def observed(self) -> dict[str, Any]:
        """`counts`: of each core float64 [groups, COUNTS], as of `emu.analog.counts`."""
        if self._counts is None:
            return {}
        rows = zip(self._groups.items(), self._counts, strict=True)
        return {KEY: {core: counts[:groups].copy() for (core, groups), counts in rows}}
