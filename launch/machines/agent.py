"""The agent of a launcher on this machine: starts, observes and ends the processes that the launcher orders."""

from __future__ import annotations

import hashlib
import os
import select
import signal
import time
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from emu.errors import EmuError
from launch.machines.content.messages import TO_AGENT
from launch.machines.content.receiver import ImageReceiver
from launch.machines.examining import own_checks
from launch.machines.joining import Joined
from launch.machines.link.end import Question
from launch.machines.snapshots import SnapshotSender
from launch.processes.local_machine import LocalMachine, part_of
from launch.processes.log import make_log_directory
from launch.processes.observed_memory import PIECE, ObservedMemory, Piece
from launch.processes.orders import ZYGOTE, Orders, ProcessReport, ReportKind, orders_of
from launch.processes.zygote_process import Zygotes

IDLE = 0.5  # seconds between two looks at the link while nothing happens


class Agent:
    """Serves the launcher at the other end of `joined`: for it, this machine is a `Machine`.

    One run follows another, each in a zygote of its own, from `zygotes`. A context manager: at the end no process and
    no image of the launcher is left here.
    """

    def __init__(self, joined: Joined, zygotes: Zygotes) -> None:
        self._joined, self._end = joined, joined.end
        self._images = ImageReceiver(joined.end.send)
        self._zygotes = zygotes
        self._machine: LocalMachine | None = None
        self._snapshots: SnapshotSender | None = None
        self._observed: ObservedMemory | None = None  # of the present run, or the last one until it is forgotten
        self._pieces: Iterator[Piece] = iter(())  # of it, that the launcher is about to ask for
        self._run = 0  # the number of the present one, or the last
        self._over = self._ended = False
        self.runs = 0
        self._end.on("ORDERS", self._start, {"run": int, "orders": bytes})
        self._end.on("SNAPSHOT", self._snapshot, {"run": int, "asked": int})
        self._end.on("STOP", self._stop, {"run": int})
        self._end.on("FORGET", self._forget, {"run": int})
        self._end.on("END", self._end_all, {})
        self._end.on("EXAMINE", self._examine, {"cores": int, "run": int})
        for kind in TO_AGENT:
            self._end.on(kind, partial(self._images.take, kind))
        self._end.answers(
            {
                "pid": (os.getpid, {}),
                "processes": self._question(lambda machine: machine.status.processes()),
                "forked": self._question(lambda machine: machine.status.forked()),
                "members": self._question(lambda machine: sorted(machine.status.members())),
                "stopped": self._question(lambda machine: machine.status.stopped()),
                "run_counts": (self._run_counts, {"run": int, "cores": object}),
                "awake": (self._awake, {"run": int, "names": list}),
                "observed": (self._written, {"run": int, "again": bool, "whole": bool}),
            }
        )

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *_: object) -> None:
        with ExitStack() as stack:
            stack.callback(self._images.close)
            self._close()

    def serve(self, rank: int, name: str, seconds: float) -> None:
        """Join as `Joined.join` does, and serve until the launcher has no more work.

        Raises EmuError if it is gone, or refuses this agent. Whatever else ends this agent, the launcher is told.
        """
        try:
            self._joined.join(rank, name, seconds)
            self._serve()
        except BaseException as error:
            self._end.send("LEFT", sentence=_why(error))
            raise

    def _serve(self) -> None:
        while not self._over:
            self._wait()
            self._end.pump()
            self._joined.check_refused()
            self._joined.check_alive()
            self._report()
            self._images.work()

    def _wait(self) -> None:
        """Wait for the link, or for reports."""
        poll = select.poll()
        for source in (self._end.descriptor, *(self._machine.sources if self._machine and not self._ended else ())):
            poll.register(source, select.POLLIN)
        poll.poll(0 if self._images.busy else 1000 * IDLE)

    def _start(self, run: int, orders: bytes) -> None:
        self._close()
        self._forget(self._run)
        self._run, self._ended = run, False
        self.runs += 1
        try:
            machine = LocalMachine(self._zygotes.start())
            with ExitStack() as unless_it_starts:
                unless_it_starts.callback(machine.close)
                self._orders = self._localised(orders_of(orders))
                machine.start(self._orders)
                self._machine, self._observed = machine, machine.observed
                unless_it_starts.pop_all()
        except EmuError as error:
            self._send(ProcessReport(ReportKind.ERROR, ZYGOTE, str(error)))
        except Exception:
            self._send(ProcessReport(ReportKind.BUG, ZYGOTE, traceback.format_exc()))

    def _localised(self, orders: Orders) -> Orders:
        """The orders as they hold here: with the clock of this machine, and a directory for logs."""
        make_log_directory(orders.options.log_dir)
        return replace(orders, started=time.monotonic())

    def _report(self) -> None:
        if self._machine is None or self._ended:
            return
        reports = self._machine.reports()
        if reports:  # what is told of a process that has ended is where it stood
            self._snapshot(self._run, 0)
        for report in reports:
            self._ended = self._ended or (report.event is ReportKind.EXIT and report.core == ZYGOTE)
            self._send(report)

    def _send(self, report: ProcessReport) -> None:
        self._end.send("REPORT", run=self._run, report=asdict(report))

    def _snapshot(self, run: int, asked: int) -> None:
        """Send a copy of the board, because of question number `asked` or of itself."""
        if run != self._run or self._machine is None:
            return
        if self._snapshots is None:
            self._snapshots = SnapshotSender(part_of(self._orders, self._machine.board))
        for piece in self._snapshots.pieces(asked):
            self._end.send("BOARD", run=run, **piece)

    def _question(self, answer: Callable[[LocalMachine], Any]) -> Question:
        """A question about a run, without further values."""
        return lambda run: self._asked(run, answer), {"run": int}

    def _asked(self, run: int, answer: Callable[[LocalMachine], Any]) -> Any:
        """The answer to a question about a run; None if it is not the present one."""
        return answer(self._machine) if self._machine is not None and run == self._run else None

    def _run_counts(self, run: int, cores: Collection[int] | None) -> Any:
        """How often threads have run, as a digest: all that is asked is whether it is the same again."""
        counts = self._asked(run, lambda machine: machine.status.run_counts(cores))
        return None if counts is None else hashlib.sha256(repr(sorted(counts.items())).encode()).digest()

    def _awake(self, run: int, names: Collection[str]) -> Any:
        return self._asked(run, lambda machine: sorted(machine.status.awake(names)))

    def _written(self, run: int, again: bool, whole: bool) -> list[Piece]:
        """Some of what observers have written, or none if that is all; with `again`, from the begin.

        That is what has changed since it was asked for the last time, or with `whole` all of it.
        """
        if run != self._run or self._observed is None:
            return []
        if again:
            self._pieces = self._observed.pieces(whole)
        found: list[Piece] = []
        while sum(len(piece.data) for piece in found) < PIECE and (piece := next(self._pieces, None)):
            found.append(piece)
        return found

    def _forget(self, run: int) -> None:
        if run == self._run:
            self._observed, self._pieces = None, iter(())

    def _stop(self, run: int) -> None:
        if run == self._run:
            self._close()
            self._end.send("STOPPED", run=run)

    def _examine(self, cores: int, run: int) -> None:
        """Tell what `emu doctor` finds on this machine."""
        self._end.send("EXAMINED", checks=[check.to_dict() for check in own_checks(cores, run)])

    def _end_all(self) -> None:
        self._over = True

    def _close(self) -> None:
        machine, self._machine, self._snapshots = self._machine, None, None
        if machine is not None:
            machine.close()


def _why(error: BaseException) -> str:
    """Why an agent ends, for those who see it from the launcher."""
    if isinstance(error, EmuError):
        return str(error)
    number = getattr(error, "number", 0)  # of what a command raises when a signal ends it
    return f"its agent was ended by {signal.Signals(number).name}" if number else f"its agent failed: {error!r}"
