"""Collects the traps of a run until the first failed sample is known for certain."""

from __future__ import annotations

from collections.abc import Iterable

from emu.core.trap import TrapRecord
from emu.noc.deadlock.waitfor import DeadlockReport
from launch.processes.orders import ProcessReport, ReportKind
from launch.supervision.causes import Deadlocked, Failure, Trapped


class ReportedTraps:
    """One trap per core, the first that it has reported."""

    def __init__(self) -> None:
        self._records: dict[int, TrapRecord] = {}
        self._peers: set[int] = set()
        self.last = 0.0  # when one came last

    def __bool__(self) -> bool:
        return bool(self._records)

    def add(self, reports: Iterable[ProcessReport], now: float) -> None:
        """The traps among `reports` have come `now`."""
        for report in reports:
            if report.event is ReportKind.TRAP and report.record is not None and report.core not in self._records:
                self._records[report.core] = report.record
                self._peers.add(report.peer)
                self.last = now

    @property
    def sample(self) -> int:
        """The first sample in which a core has trapped."""
        return min(record.sample for record in self._records.values())

    @property
    def expected(self) -> set[int]:
        """Cores that must still trap: their peers trapped on a message between them."""
        return self._peers - self._records.keys() - {-1}

    def failure(self, deadlock: DeadlockReport | None) -> Failure:
        """The first failure: these traps, or a `deadlock` in an earlier sample."""
        if deadlock is not None and deadlock.sample < self.sample:
            return Deadlocked(deadlock)
        first = [record for record in self._records.values() if record.sample == self.sample]
        return Trapped(self.sample, tuple(first))
