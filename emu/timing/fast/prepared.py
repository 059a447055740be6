"""A section of a core, made ready: what is known of it whatever the times of others."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from emu.isa.codes import ASK_OF
from emu.isa.instruction import RequestKind as Kind
from emu.program.nesting import operations
from emu.timing.fast.body import make_body
from emu.timing.fast.core import FastCore
from emu.timing.fast.effort import Effort
from emu.timing.fast.hazards import Hazards
from emu.timing.fast.operands import Operands
from emu.timing.fast.pipeline import CAUSES, Pipeline
from emu.timing.fast.ported import PortedCore
from emu.timing.fast.steadiness import Steadiness
from emu.timing.setup import TimedSection


class Prepared:
    """One section for a window."""

    def __init__(self, timed: TimedSection, window: int) -> None:
        self.timed, self._window = timed, window
        self.body = make_body(timed)
        self.hazards = Hazards(timed.view, Operands(timed.view))
        self.steadiness = Steadiness(self.hazards, window)

    def core(self, units: int, ports: int, effort: Effort) -> Pipeline:
        """The core that runs it, with so many units, and ports of local memory at which operations wait (0: none)."""
        parts = self, units, self._window, effort
        return PortedCore(*parts, ports) if ports else FastCore(*parts)

    @cached_property
    def executions(self) -> np.ndarray:
        """How often each instruction runs in one sample, loops not counted; int64 [instructions]."""
        return operations(self.timed.view.section)

    @cached_property
    def memory(self) -> int:
        """Picoseconds of all services of the global memory in one sample."""
        kinds = ASK_OF[self.timed.view.section.columns["op"]]
        served = (kinds == Kind.LOAD) | (kinds == Kind.STORE)
        return int((self.executions * served) @ self.timed.costs.service)

    def busy(self, core: Pipeline, samples: int) -> np.ndarray:
        """How long each unit of a core could take no other operation in so many samples; int64 [units]."""
        told = np.array(core.sums[CAUSES:], np.int64)
        return told if core.queues else told + samples * self._busy(len(told))

    def _busy(self, units: int) -> np.ndarray:
        """The same in one sample, without requests."""
        busy = np.zeros(units + 1, np.int64)  # the last one: what has no unit
        np.add.at(busy, self.timed.costs.unit, self.executions * self.body.hold)
        return busy[:units]
