"""A core as drivers see it: begin a section, advance to the next request, complete the request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import numpy as np

from emu.arch import Arch
from emu.core.batch.engine import BatchEngine
from emu.core.crossbars.fault import Fault
from emu.core.memory import LocalMemory
from emu.core.progress import Progress
from emu.core.request import Capture, Load, Request
from emu.core.requests import finish_request
from emu.core.state import CoreState
from emu.core.statistics import Statistics
from emu.core.step import StepEngine
from emu.core.trap import CoreTrap
from emu.program.program import Program


class Engine(Protocol):
    """How a core gets from one request to the next."""

    def prepare(self) -> None:
        """Before the first section: do what needs no data."""
        ...

    def watch(self, tell: Callable[[int], None]) -> None:
        """From now on tell the indices of what is about to run."""
        ...

    def begin(self) -> None:
        """A section starts."""
        ...

    def halted(self) -> None:
        """A section is over."""
        ...

    def advance(self) -> Request | Progress:
        """The next request, RUNNING or HALTED; raises Fault."""
        ...


ENGINES = {"step": StepEngine, "batch": BatchEngine, "fast": BatchEngine}
STACKED = ("fast",)  # engines that multiply all row tiles of a group at once, and so round differently


class Core:
    """One core and its program; does no I/O.

    `program` must be validated; `weights` are arrays [rows, padded columns], one per group, read-only is fine.
    `engine` is "step", "batch" or "fast"; `keep` are indices of the program's buffers to hand out as Capture requests.
    """

    def __init__(
        self,
        program: Program,
        arch: Arch,
        weights: Sequence[np.ndarray],
        engine: str = "batch",
        keep: Collection[int] = (),
    ) -> None:
        self._state = CoreState(program, arch, weights, engine in STACKED)
        self._engine: Engine = ENGINES[engine](self._state)
        self._keep = sorted(keep, key=lambda buffer: (program.buffers[buffer].complete, buffer))
        self._captures: list[int] = []  # buffers to hand out in this sample, the next one last
        self._pending: Request | None = None
        self._powered = self._settled = False

    @property
    def events(self) -> int:
        """Number of event registers, which the driver keeps: syncs come from outside."""
        return self._state.arch.core.events

    @property
    def program(self) -> Program:
        """What it runs."""
        return self._state.program

    @property
    def registers(self) -> list[int]:
        """Scalar registers, int32."""
        return self._state.registers

    @property
    def memory(self) -> LocalMemory:
        """Local memory."""
        return self._state.memory

    @property
    def state(self) -> CoreState:
        """Everything that the core holds, for a debugger to look at and, between two turns, to put back."""
        return self._state

    def reopen(self, request: Request | None) -> None:
        """The state has been put back to where `request` (None: no request) was open, which `complete` will get."""
        self._pending = request

    @property
    def statistics(self) -> Statistics:
        """What the engine did since power-on."""
        return self._state.statistics

    def check_again(self) -> None:
        """Forget that a complete sample has shown which bytes are defined: the next one is checked as the first was."""
        self._state.trusted = False

    def prepare(self) -> None:
        """Do before the first `begin` what needs no data and touches no memory of the core, for forks to share."""
        self._engine.prepare()

    def watch(self, tell: Callable[[int], None]) -> None:
        """From now on call `tell` with the index of each nest or instruction of the running section before it runs.

        Not of all: of loops that are stepped, scalar instructions and requests `batch` tells nothing. A core that
        nobody watches runs as if there were no such thing.
        """
        self._engine.watch(tell)

    @property
    def index(self) -> int:
        """Of the next instruction, or of the one whose request is open."""
        return self._state.sequencer.pc

    def begin(self, section: str, sample: int) -> None:
        """Start `init` (once, before the first sample) or `main` of a sample; registers are cleared."""
        state = self._state
        if not self._powered:
            self._powered = True
            self._write_data()
        if section == "main" and not self._settled:
            self._settled = True
            state.memory.keep_baseline((low, low + size) for low, size in state.program.state)
        elif section == "main" and not state.trusted:
            state.memory.restore_baseline()
        state.begin(section, sample)
        self._pending = None
        self._captures = self._keep[::-1] if section == "main" else []
        self._aim()
        self._engine.begin()

    def _write_data(self) -> None:
        memory = self._state.memory
        for data in self._state.program.data:
            low, high = data.address, data.address + len(data.content)
            memory.window(low, high)[:] = data.content
            memory.mark(low, high)

    def advance(self) -> Request | Progress:
        """Run to the next request or the end (`step`: one instruction); raises CoreTrap.

        A request must be fulfilled and handed to `complete` before the next `advance`.
        """
        if self._pending is not None:
            raise RuntimeError("advance before complete: a request of this core is still open")
        result = self._capture() or self._run()
        if isinstance(result, Progress):
            result = self._capture() or result
        if isinstance(result, Progress):
            if result is Progress.HALTED:
                self._engine.halted()
            return result
        self._pending = result
        return result

    def _run(self) -> Request | Progress:
        try:
            return self._engine.advance()
        except Fault as fault:
            raise self._state.trap(fault) from None

    def _capture(self) -> Capture | None:
        """The next kept buffer, if the program has come to where it is complete."""
        state = self._state
        if not self._captures or not state.paused:
            return None
        number = self._captures[-1]
        buffer = state.program.buffers[number]
        return Capture(number, state.memory.window(buffer.address, buffer.address + buffer.nbytes))

    def _aim(self) -> None:
        """Make the engine pause where the next kept buffer is complete."""
        buffers = self._state.program.buffers
        self._state.pause_at = buffers[self._captures[-1]].complete if self._captures else -1

    def complete(self, request: Request) -> None:
        """The open request has been fulfilled: its effects become visible and the core may go on."""
        if request is not self._pending:
            raise RuntimeError("complete: not the open request of this core")
        self._pending = None
        if isinstance(request, Capture):
            self._captures.pop()
            self._aim()
            return
        state, sequencer = self._state, self._state.sequencer
        if not state.trusted or isinstance(request, Load):
            finish_request(state, state.operation(sequencer.pc), request)
        sequencer.next()

    def position(self) -> tuple[str, int, tuple[int, ...], int]:
        """(section, index, loop counters, sample) of the next instruction, or of the one whose request is open."""
        state = self._state
        return state.position.section, state.sequencer.pc, tuple(state.sequencer.counters), state.position.sample

    def instruction_text(self) -> str:
        """The mnemonic at the present position; empty at the end."""
        return self._state.instruction_text()

    def trap(self, reason: str, *, operand: str = "", value: int | None = None, limit: int | None = None) -> CoreTrap:
        """A trap at the present position, for a driver to raise (such as a message of the wrong size)."""
        return self._state.trap(Fault(reason, operand, value, limit))
