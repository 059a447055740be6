"""Supervises a run: turns messages of its machine and memory node into events, and performs the resulting actions."""

from __future__ import annotations

import time
from collections.abc import Callable

from emu.errors import EmuError
from emu.noc.memory.host_link import HostLink, SampleOutputs
from emu.noc.watch.watch import Watch
from emu.noc.wire.library import Socket
from emu.noc.wire.transports import TRANSPORTS
from launch.processes.machine import Machine
from launch.supervision import actions, events
from launch.supervision.inspector import Inspector
from launch.supervision.run_state import RunPhase, RunState
from launch.supervision.stopped_processes import Notice

TICK = 0.05  # seconds without an event until the board is read
Starting = Callable[[int, int], None]  # called with the number of forked processes, and of all


class Supervisor:
    """Supervises the run of `machine`, whose board `watch` reads.

    `timeout` is in seconds without a result (None: wait) and counts from the next one on, `notice` is told of stopped
    processes. A caller that waits here gets an EmuError if the run fails; its processes have ended then.
    """

    def __init__(
        self,
        machine: Machine,
        watch: Watch,
        timeout: float | None,
        transport: str = "ipc",
        notice: Notice | None = None,
        log_dir: str | None = None,
    ) -> None:
        self.timeout = timeout
        self._machine, self.inspector = machine, Inspector(machine, watch, log_dir)
        row = TRANSPORTS[transport]
        self._state, self._ready = RunState(row.grace, notice is not None), row.library.ready
        self._notice = notice
        self._starting: Starting | None = None
        self._link: HostLink | None = None
        self._refreshed = 0.0  # when the board was brought up to date last, for whoever looks at it
        self._sources: list[int | Socket] = [*machine.sources]

    def report_start(self, starting: Starting, cores: int) -> None:
        """Call `starting` with how many of the `cores` have been forked, until the run starts."""
        self._starting, self._state.cores = starting, cores

    def endpoint(self) -> str:
        """Wait for the memory node and return its endpoint."""
        answer = self._wait()
        assert isinstance(answer, actions.Connect)
        return answer.endpoint

    def follow(self, link: HostLink) -> None:
        """From now on results come from `link`."""
        self._link = link
        self._sources.append(link.socket)

    def next_result(self) -> SampleOutputs | None:
        """Wait for the next result of a sample; the first call waits for the start of the run (None).

        When a sample has failed, the results of those before it still come: they are finished, or will be.
        """
        answer = self._wait()
        return answer.result if isinstance(answer, actions.Deliver) else None

    def ready(self) -> bool:
        """Whether a result can be had without waiting."""
        return self._link is not None and bool(self._link.socket.poll(0))

    def quit(self) -> None:
        """End the processes of the run, unless it has failed, which has ended them; may be called twice."""
        self._handle(events.Quit())

    def _wait(self) -> actions.Answer:
        assert self._state.phase is not RunPhase.ENDED, "nothing comes of a run that has ended"
        answer = self._handle(events.WaitStarted(self.timeout))
        while answer is None:
            answer = self._handle(self._next_event())
        return answer

    def _next_event(self) -> events.Event:
        """The next event; results before reports, as they may be of samples before a failure."""
        if time.monotonic() - self._refreshed > TICK:
            self._machine.refresh()
            self._refreshed = time.monotonic()
        ready = self._ready(self._sources, int(TICK * 1000))
        if not ready:
            return events.Tick()
        if self._link is None or self._link.socket not in ready:
            return events.Reported(tuple(self._machine.reports()))
        result = self._link.receive()
        return events.StartAllowed() if result is None else events.Finished(result)

    def _handle(self, event: events.Event) -> actions.Answer | None:
        """Perform the actions for `event`; the answer to the caller, if any. Raises the error that ends the run."""
        answer: actions.Answer | None = None
        error: EmuError | None = None
        coming = [event]
        for each in coming:
            for action in self._state.handle(each, time.monotonic()):
                match action:
                    case actions.Connect() | actions.Begin() | actions.Deliver():
                        answer = action
                    case actions.Fail(cause):
                        error = self.inspector.error(cause)
                    case (
                        actions.Remind() | actions.Nudge() | actions.ForkProgress() | actions.Notify() | actions.Close()
                    ):
                        self._perform(action)
                    case _:
                        coming.append(self.inspector.answer(action))
        if error is not None:
            raise error
        return answer

    def _perform(self, action: actions.Deed) -> None:
        match action:
            case actions.Remind():
                if self._link is not None:
                    self._link.remind()
            case actions.Nudge():
                if self._link is not None:
                    self._link.nudge()
            case actions.ForkProgress(cores):
                if self._starting is not None:
                    self._starting(cores, self._state.cores)
            case actions.Notify(text):
                if self._notice is not None:
                    self._notice(text)
            case actions.Close():
                self._machine.close()
