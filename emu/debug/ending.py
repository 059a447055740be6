"""How a program that is debugged can end, and who says so."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from emu.core.trap import TrapRecord
from emu.noc.deadlock.waitfor import DeadlockReport


class End(Enum):
    """Why nothing comes any more."""

    FINISHED = "finished"  # all samples are through
    INCOMPLETE = "incomplete"  # part of an output was never stored
    LEFT_OVER = "left over"  # a message or a sync is left over
    TRAPPED = "trapped"
    DEADLOCKED = "deadlocked"


@dataclass(frozen=True, slots=True)
class Ending:
    """Why nothing comes any more, as a sentence; `traps` and `report` say more where there is more."""

    end: End
    text: str
    traps: tuple[TrapRecord, ...] = ()
    report: DeadlockReport | None = None
