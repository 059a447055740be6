"""Waits for the results of a run and watches its processes: silence, deaths and traps become errors."""

from __future__ import annotations

import time
from collections.abc import Callable

import zmq

from emu.core.trap import INIT_SAMPLE
from emu.errors import InputError
from emu.noc.memory.host_link import HostLink, Result
from emu.noc.watch.watch import Watch
from launch.processes.log import core_log, tail
from launch.processes.machine import Machine
from launch.processes.orders import MEMORY_NODE, OTHERS, Event, Report
from launch.supervision.errors import CoreDied, CoreTrapped, Deadlock, MessageDamaged, RunTimeout
from launch.supervision.stalls import Notice, Stalls
from launch.supervision.standstill import Standstill
from launch.supervision.start_watch import StartWatch

TICK = 0.05  # seconds between two looks at the board
Starting = Callable[[int, int], None]  # processes that are there, and all
GRACE = 0.05  # seconds in which other cores may trap too
PATIENCE = 10.0  # seconds for cores that have not come to an end in the sample that failed


class Supervisor:
    """Watches one run: `timeout` is in seconds without a result (None: wait), `notice` is told of stopped processes."""

    def __init__(
        self,
        machine: Machine,
        watch: Watch,
        timeout: float | None,
        transport: str = "ipc",
        notice: Notice | None = None,
        log_dir: str | None = None,
    ) -> None:
        self._machine, self._watch, self._timeout = machine, watch, timeout
        self._log_dir = log_dir
        self._link: HostLink | None = None
        self._processes = dict(machine.helpers)
        self._stalls = Stalls(watch, self._processes, notice, machine.forked)
        self._start_watch = StartWatch(machine, transport)
        self._standstill = Standstill(watch, transport)
        self._stuck_since: float | None = None  # when the present deadlock was seen first
        self._failed: CoreTrapped | Deadlock | None = None
        self._patience = 0.0  # until when results of samples before the failed one are waited for
        self._started = False
        self._starting: Starting | None = None
        self._forked = 0  # cores that have been there: an idle one may end before the others run
        self._cores = 0
        self._early: list[Report] = []  # traps of cores that started before we heard of the start
        self._poller, self._ears = zmq.Poller(), zmq.Poller()
        for source in machine.sources:
            self._poller.register(source, zmq.POLLIN)
            self._ears.register(source, zmq.POLLIN)

    def tell_start(self, starting: Starting, cores: int) -> None:
        """Tell `starting` how many of the `cores` have been forked, until all may start."""
        self._starting, self._cores = starting, cores

    def endpoint(self) -> str:
        """Wait for the memory node and return its endpoint."""
        deadline = self._deadline()
        while True:
            reports = self._reports(TICK)
            bound = next((report for report in reports if report.event is Event.BOUND), None)
            if bound is not None:  # cores that are forked right after it may have said something already
                self._processes[OTHERS[MEMORY_NODE]] = bound.process
                self._early += [report for report in reports if report.event is Event.TRAP]
                self._raise([report for report in reports if report.event not in (Event.TRAP, Event.BOUND)])
                return bound.text
            self._raise(reports)
            self._check_start()
            self._check_time(deadline)

    def follow(self, link: HostLink) -> None:
        """From now on results come from `link`."""
        self._link = link
        self._poller.register(link.socket, zmq.POLLIN)

    def next_result(self, due: int = INIT_SAMPLE) -> Result | None:
        """Wait for the next message of the memory node: the result of sample `due` (None: all may start).

        Raises EmuErrors. When a sample has failed, the results of those before it still come: they are finished, or
        will be.
        """
        assert self._link is not None
        deadline = self._deadline()
        self._stalls.rest()
        if self._early and self._started:
            early, self._early = self._early, []
            self._raise(early)
        while True:
            self._check_failed(due)
            ready = dict(self._poller.poll(int(TICK * 1000)))
            if self._link.socket in ready:
                result, first, self._started = self._link.receive(), not self._started, True
                if result is not None or first:
                    return result
            elif ready:
                reports = self._machine.reports()
                if self._started or {report.event for report in reports} != {Event.TRAP}:
                    self._raise(self._early + reports)
                self._early += reports
            else:
                self._link.remind()
                self._look_at_start()
                self._check_deadlock()
                self._check_losses()
                self._check_start()
            self._check_time(deadline)

    def _check_failed(self, due: int) -> None:
        """Raise what made a sample fail once nothing before that sample is due any more."""
        if self._failed is not None and (due >= self._failed.sample or time.monotonic() > self._patience):
            raise self._failed

    def _fail(self, error: CoreTrapped | Deadlock) -> None:
        """A sample has failed; those before it are finished, which the memory node may not have noticed."""
        if self._failed is None:
            self._failed, self._patience = error, time.monotonic() + PATIENCE
            if self._link is not None:
                self._link.nudge()

    def processes(self) -> dict[str, int]:
        """All processes of the run that are known, by name: "core 3", and those of `OTHERS`."""
        cores = {f"core {core}": process for core, process in self._watch.processes().items()}
        return cores | self._processes

    def ready(self) -> bool:
        """Whether a result can be had without waiting."""
        return self._link is not None and bool(self._link.socket.poll(0))

    def _look_at_start(self) -> None:
        if self._starting is not None and not self._started:
            self._forked = min(self._cores, max(self._forked, len(self._machine.forked()) - 1))
            self._starting(self._forked, self._cores)

    def _deadline(self) -> float | None:
        return None if self._timeout is None else time.monotonic() + self._timeout

    def _check_time(self, deadline: float | None) -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise RunTimeout(self._timeout or 0, self._stalls.unfinished())

    def _check_deadlock(self) -> None:
        """Raise Deadlock once no other core can still get into it, or trap, in that sample."""
        report = self._watch.deadlock()
        if report is None:
            self._stuck_since = None
            return
        now = time.monotonic()
        self._stuck_since = self._stuck_since or now
        if self._watch.settled(report.sample) or now - self._stuck_since > PATIENCE:
            self._fail(Deadlock(report))

    def _check_losses(self) -> None:
        lost = self._standstill.look()
        if lost is not None:
            raise lost

    def _check_start(self) -> None:
        """Tell of stopped processes, and raise NeverStarted if the run can never start."""
        self._stalls.look()
        error = self._start_watch.look()
        if error is not None:
            raise error

    def _reports(self, seconds: float) -> list[Report]:
        """What the machine has to report within `seconds`."""
        return self._machine.reports() if self._ears.poll(int(seconds * 1000)) else []

    def _raise(self, reports: list[Report]) -> None:
        """The error that `reports` amount to: what happened first in a core counts before what follows from it."""
        for report in reports:
            if report.event is Event.ERROR:
                raise InputError(report.text)
        traps = [report for report in reports if report.event is Event.TRAP]
        if traps:
            self._fail(self._failure(traps))
            return
        for report in reports:
            if report.event is Event.DAMAGED:
                raise MessageDamaged(report.core, report.text, self._watch.place(report.core))
            if report.event in (Event.BUG, Event.EXIT):
                raise self._died(report)

    def _failure(self, traps: list[Report]) -> CoreTrapped | Deadlock:
        """What went wrong in the first sample that failed, when all other cores have come to rest in it."""
        ends = time.monotonic() + PATIENCE
        while True:
            reports = self._reports(GRACE)
            more = [report for report in reports if report.event is Event.TRAP]
            traps = traps + more
            first = min(trap.record.sample for trap in traps if trap.record)
            deadlock = self._watch.deadlock()
            expected = {trap.peer for trap in traps} - {trap.core for trap in traps} - {-1}
            settled = not reports and not expected and self._watch.settled(first)
            if settled or len(more) < len(reports) or time.monotonic() > ends:  # a core that died comes to no end
                break
        if deadlock is not None and deadlock.sample < first:
            return Deadlock(deadlock)
        return CoreTrapped([trap.record for trap in traps if trap.record and trap.record.sample == first])

    def _died(self, report: Report) -> CoreDied:
        if report.core in OTHERS:
            return CoreDied(OTHERS[report.core], None, report.status, traceback=report.text)
        place, log = self._watch.place(report.core), tail(self._log_dir, core_log(report.core))
        return CoreDied(f"core {report.core}", report.core, report.status, place, report.text, log)
