"""The engine `step`: one instruction at a time, the definition of what programs mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from emu.core.operation import Operation
from emu.core.progress import Progress
from emu.core.request import Request
from emu.core.requests import make_request
from emu.core.state import CoreState
from emu.isa.instruction import Control


class StepEngine:
    """Executes exactly one instruction per `advance`; entering and repeating loops costs none."""

    def __init__(self, state: CoreState) -> None:
        self._state = state
        self._run: Callable[[CoreState, Operation], Request | Progress] = step_one

    def watch(self, tell: Callable[[int], None]) -> None:
        """From now on tell the index of every instruction that is about to run."""

        def run(state: CoreState, op: Operation) -> Request | Progress:
            tell(op.index)
            return step_one(state, op)

        self._run = run

    def prepare(self) -> None:
        """Nothing is known of an instruction before its turn."""

    def begin(self) -> None:
        """A section starts."""

    def halted(self) -> None:
        """A section is over."""

    def advance(self) -> Request | Progress:
        """Run the next instruction: its request, RUNNING, or HALTED at the end. Raises Fault."""
        sequencer = self._state.sequencer
        while sequencer.at_loop:
            sequencer.enter()
            if self._state.paused:
                return Progress.RUNNING
        if sequencer.at_end:
            return Progress.HALTED
        with np.errstate(all="ignore"):
            return self._run(self._state, self._state.operation(sequencer.pc))


def step_one(state: CoreState, op: Operation) -> Request | Progress:
    """Run `op`, the instruction at the program counter; a request leaves the counter on it."""
    if op.instr.spec.ask is not None:
        return make_request(state, op)
    state.execute(op)
    if op.instr.spec.control is Control.HALT:
        state.sequencer.stop()
        return Progress.HALTED
    state.sequencer.next()
    return Progress.RUNNING
