"""One core in time: starts its operations in order, as soon as window, units and operands let it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator

from emu.isa.codes import ASK_OF
from emu.timing.basis.log import OperationPhase, Reason
from emu.timing.basis.result import Cause
from emu.timing.executor.chip import ChipState
from emu.timing.executor.flight import Flight
from emu.timing.executor.kernel import Process, Signal
from emu.timing.executor.ports import Ports
from emu.timing.executor.requests import REQUESTS
from emu.timing.executor.walk import SectionWalk, WalkedOperation
from emu.timing.model.costs import WHOLE
from emu.timing.setup import TimedCore

_REASONS = {Cause.WINDOW: Reason.WINDOW, Cause.UNIT: Reason.UNIT, Cause.OPERAND: Reason.OPERAND}


class CoreInTime:
    """A core of a chip. `main` of the next sample begins when the last one has ended."""

    def __init__(self, number: int, core: TimedCore, chip: ChipState) -> None:
        self.number, self._core, self._chip, self._kernel = number, core, chip, chip.kernel
        self._walks = {name: SectionWalk(section.view) for name, section in core.sections.items()}
        self._ports = Ports(chip.setup.local_ports)
        self._flights: deque[Flight] = deque()  # in the order of the program, without those that have left the window
        self._busy: dict[int, Flight] = {}  # by unit
        self._changed = Signal()
        self._freed = -1  # the moment that changed something last
        self.ended = -1  # the moment that ended the last section

    def run(self, section: str, sample: int, before: int = -1) -> Process:
        """All operations of `init` (INIT_SAMPLE) or of a sample; `before` is the moment that decided the beginning."""
        moment, reason = before, Reason.BEGIN
        for operation in self._walks[section].operations():
            flight = self._flight(section, sample, operation, moment)
            yield flight.cost("issue") + (self._chip.setup.fill if reason is Reason.BEGIN else 0)
            front = self._kernel.now
            cause, holder = yield from self._until_free(flight)
            if holder is not None:
                flight.block(cause, self._kernel.now - front)
                flight.mark(OperationPhase.START, _REASONS[cause], holder.moment)
            else:
                flight.mark(OperationPhase.START, reason)
            self._start(flight)
            moment, reason = flight.moment, Reason.FRONT
        while self._flights:
            yield self._changed
        self.ended = self._freed if self._freed >= 0 else before
        self._chip.records[section].ends[self.number].append(self._kernel.now)

    def _flight(self, section: str, sample: int, operation: WalkedOperation, moment: int) -> Flight:
        chip, timed = self._chip, self._core.sections[section]
        return Flight(
            self.number, section, sample, operation, timed, self._kernel, chip.records[section], chip.log, moment
        )

    def _until_free(self, flight: Flight) -> Generator[Signal, None, tuple[Cause, Flight | None]]:
        """Wait for window, unit and operands: the first of them that is as late as the start, and whose they were."""
        conditions: tuple[tuple[Cause, Callable[[Flight], Flight | None]], ...] = (
            (Cause.WINDOW, self._oldest),
            (Cause.UNIT, lambda waiting: self._busy.get(waiting.cost("unit"))),
            (Cause.OPERAND, self._in_conflict),
        )
        cause, since, last = Cause.WINDOW, self._kernel.now, None
        for condition, holder in conditions:
            while (found := holder(flight)) is not None:
                holding = found
                yield self._changed
                if self._kernel.now > since:
                    cause, since, last = condition, self._kernel.now, holding
        return cause, last

    def _oldest(self, waiting: Flight) -> Flight | None:
        """The operation that must leave the window first."""
        return self._flights[0] if len(self._flights) == self._chip.setup.window else None

    def _in_conflict(self, waiting: Flight) -> Flight | None:
        """An operation in flight that uses what `waiting` needs."""
        operation = waiting.operation
        for earlier in self._flights:
            if not earlier.finished and operation.conflicts(earlier.operation, earlier.has_read):
                return earlier
        return None

    def _start(self, flight: Flight) -> None:
        self._flights.append(flight)
        self._busy[flight.cost("unit")] = flight
        flight.started = self._kernel.now
        flight.records.executions[self.number][flight.operation.instruction] += 1
        self._kernel.resume(self._live(flight))

    def _live(self, flight: Flight) -> Process:
        """From the start of an operation until it is finished."""
        request = REQUESTS.get(int(ASK_OF[flight.field("op")]))
        interval = flight.cost("interval")
        if request is not None:
            yield from request(self._chip, flight, self._access)
        else:
            yield from self._access(flight, OperationPhase.READ, flight.cost("read"))
            if interval != WHOLE:
                self._kernel.after(interval, lambda: self._release(flight))
            yield flight.cost("compute")
            flight.mark(OperationPhase.COMPUTED, Reason.WORK)
            yield from self._access(flight, OperationPhase.FINISHED, flight.cost("write"))
        self._finish(flight, interval == WHOLE)

    def _access(self, flight: Flight, phase: OperationPhase, duration: int) -> Process:
        """Wait for a port of local memory, and use it."""
        asked = self._kernel.now
        yield from flight.serve(self._ports, phase, duration, (Reason.WORK, Reason.PORT))
        flight.block(Cause.PORT, self._kernel.now - asked - duration)
        if phase is OperationPhase.READ:
            flight.has_read = True
            self._change(flight)

    def _finish(self, flight: Flight, release: bool) -> None:
        if flight.phase is not OperationPhase.FINISHED:
            flight.mark(OperationPhase.FINISHED, Reason.WORK)
        flight.finished = True
        while self._flights and self._flights[0].finished:
            self._flights.popleft()
        if release:
            self._release(flight)
        else:
            self._change(flight)

    def _release(self, flight: Flight) -> None:
        """The unit of an operation may take the next one."""
        unit = flight.cost("unit")
        del self._busy[unit]
        flight.records.busy[self.number][unit] += self._kernel.now - flight.started
        self._change(flight)

    def _change(self, flight: Flight) -> None:
        changed, self._changed, self._freed = self._changed, Signal(), flight.moment
        self._kernel.fire(changed)
