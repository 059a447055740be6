"""How a run can fail once it has started: traps, deadlocks, dead processes, timeouts."""

from __future__ import annotations

from collections.abc import Sequence

from emu.core.trap import TrapRecord
from emu.errors import EmuError, ProgramError, option
from emu.noc.deadlock.loss import Loss
from emu.noc.deadlock.place import ProgramPlace
from emu.noc.deadlock.waitfor import DeadlockReport
from emu.wording import counted
from launch.system.process_end import signal_name

NOT_BEGUN = "before its first instruction"


class CoreTrapped(EmuError):
    """At least one core trapped (exit code 3); `record` is the first of `records`, by sample and core."""

    exit_code = 3

    def __init__(self, records: Sequence[TrapRecord]) -> None:
        self.records = sorted(records, key=lambda record: (record.sample, record.core))
        self.record = self.records[0]
        self.sample = self.record.sample  # that cannot end
        super().__init__("; ".join(map(str, self.records)))


class Deadlock(EmuError):
    """Cores wait for each other, or for one that has halted (exit code 4); see `report`."""

    exit_code = 4

    def __init__(self, report: DeadlockReport) -> None:
        self.report = report
        self.sample = report.sample  # that cannot end
        super().__init__(str(report))


class HostNodesFailed(EmuError):
    """The nodes of a segment on the host cannot be computed for a sample (exit code 3)."""

    exit_code = 3


class LeftoverMessage(EmuError):
    """A sample has ended with a message that was never received or a sync that was never waited for (exit code 3)."""

    exit_code = 3


class CoreDied(EmuError):
    """A process of the run ended unexpectedly (exit code 5).

    `core` is None for the memory node or the zygote; `status` is as of `subprocess` (minus the signal); `place` is
    the last instruction known; `traceback` is set when it ended by an error of the emulator itself; `log` is the end of
    its log.
    """

    exit_code = 5

    def __init__(
        self,
        who: str,
        core: int | None,
        status: int,
        place: ProgramPlace | None = None,
        traceback: str = "",
        log: Sequence[str] = (),
    ) -> None:
        self.core, self.status, self.place, self.traceback, self.log = core, status, place, traceback, list(log)
        how = f"was killed by {signal_name(-status)}" if status < 0 else f"ended with status {status}"
        if traceback:
            how = f"failed by an error of the emulator itself: {traceback.strip().splitlines()[-1]}"
        where = f", last seen at {place}" if place else f", {NOT_BEGUN}" if core is not None else ""
        tail = f"; its log ends with {' | '.join(self.log)}" if log else ""
        super().__init__(f"{who} {how}{where}{tail}")


class HostLost(EmuError):
    """A machine of a run over several cannot be reached any more, with all processes on it (exit code 5)."""

    exit_code = 5


class MessageLost(EmuError):
    """A message or an acknowledgement was sent and never arrived (exit code 5); see `losses`.

    All cores block and no thread runs, so nothing is in flight any more.
    """

    exit_code = 5

    def __init__(self, losses: Sequence[Loss]) -> None:
        self.losses = list(losses)
        others = len(self.losses) - 1
        more = f"; {counted(others, 'more was lost', 'more were lost')}" if others else ""
        super().__init__(f"{self.losses[0]}{more}")


class MessageDamaged(EmuError):
    """Core `core` received a corrupt message at the instruction `place` (exit code 5)."""

    exit_code = 5

    def __init__(self, core: int, fault: str, place: ProgramPlace | None) -> None:
        self.core, self.place = core, place
        where = f" at {place}" if place else ""
        super().__init__(
            f"core {core} refuses what it got{where}: {fault}; something was lost, doubled or changed on its way"
        )


class NeverStarted(EmuError):
    """The processes of a run wait for each other at the start, and none makes progress any more (exit code 5).

    `waits` says who waits for whom.
    """

    exit_code = 5

    def __init__(self, waits: Sequence[str]) -> None:
        self.waits = list(waits)
        super().__init__(f"the run cannot start, as nothing moves any more: {'; '.join(self.waits)}")


class IncompleteOutput(ProgramError):
    """A sample has ended and part of an output was never stored (exit code 1): the programs do not compute it."""

    exit_code = 1


class RunTimeout(EmuError):
    """No result came in time (exit code 6); `unfinished` says what each unfinished core was doing."""

    exit_code = 6

    def __init__(self, seconds: float, unfinished: Sequence[str]) -> None:
        self.seconds, self.unfinished = seconds, list(unfinished)
        what = "; ".join(self.unfinished) or "all cores had finished"
        super().__init__(
            f"nothing came out within {seconds:g} s (raise {option('timeout')} if it only takes longer): {what}"
        )
