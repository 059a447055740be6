"""What the checker says: proved, refuted or unproved, and where in the programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from emu.core.trap import fault_text
from emu.noc.deadlock.place import ProgramPlace
from emu.noc.deadlock.waitfor import DeadlockReport
from emu.replay.core_view import SectionView
from emu.wording import counted


class Outcome(Enum):
    """A refutation is a fault that every run meets; unproved means that the checker could not decide."""

    PROVED = "proved"
    UNPROVED = "unproved"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of one instruction; `place` tells core-independent details, sample numbers are those of the first run.

    `because` says how it came to that, if it takes another instruction: the one at `other`.
    """

    core: int
    place: ProgramPlace
    reason: str
    operand: str = ""
    value: int | None = None
    limit: int | None = None
    because: str = ""
    other: ProgramPlace | None = None

    @classmethod
    def of(
        cls,
        view: SectionView,
        index: int,
        time: int,
        reason: str,
        operand: str = "",
        value: int | None = None,
        limit: int | None = None,
    ) -> Finding:
        """A fault of the execution of instruction `index` at step `time`."""
        return cls(view.program.core, view.place(index, time), reason, operand, value, limit)

    def __str__(self) -> str:
        why = f"; {self.because}" if self.because else ""
        return f"core {self.core} at {self.place}: {fault_text(self.reason, self.operand, self.value, self.limit)}{why}"


@dataclass(frozen=True, slots=True)
class PropertyResult:
    """One property of one core or of the whole set. `detail` is the reason of anything but a plain proof."""

    outcome: Outcome
    detail: str = ""
    finding: Finding | None = None
    deadlock: DeadlockReport | None = None

    @classmethod
    def refuted(cls, finding: Finding) -> PropertyResult:
        """Refuted by a fault of one instruction."""
        return cls(Outcome.REFUTED, str(finding), finding)

    @classmethod
    def unproved(cls, reason: str) -> PropertyResult:
        """Undecided, for this reason."""
        return cls(Outcome.UNPROVED, reason)


PROVED = PropertyResult(Outcome.PROVED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one property over all cores; `others` more cores have the same kind of result."""

    key: str
    title: str
    result: PropertyResult
    others: int = 0

    @property
    def outcome(self) -> Outcome:
        """Proved, refuted or unproved."""
        return self.result.outcome

    @property
    def detail(self) -> str:
        """The reason, and how many other cores have one."""
        more = f" (and {counted(self.others, 'more core')})" if self.others else ""
        return self.result.detail + more

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        finding, deadlock = self.result.finding, self.result.deadlock
        return {
            "property": self.key,
            "title": self.title,
            "verdict": self.outcome.value,
            "detail": self.detail,
            "finding": asdict(finding) if finding else None,
            "deadlock": deadlock_dict(deadlock) if deadlock else None,
        }


def deadlock_dict(report: DeadlockReport) -> dict[str, Any]:
    """A deadlock report as plain values."""
    edges = [asdict(edge) | {"direction": edge.direction.value} for edge in report.edges]
    return {"edges": edges, "cycle": report.cycle, "halted": report.halted, "stuck": list(report.stuck)}


@dataclass(frozen=True, slots=True)
class Report:
    """All verdicts, in the order of the table of properties."""

    verdicts: tuple[Verdict, ...]
    cores: int
    seconds: float

    def of(self, key: str) -> Verdict:
        """The verdict of a property; raises KeyError."""
        return {verdict.key: verdict for verdict in self.verdicts}[key]

    def having(self, outcome: Outcome) -> list[Verdict]:
        """The verdicts with this outcome."""
        return [verdict for verdict in self.verdicts if verdict.outcome is outcome]

    @property
    def refuted(self) -> list[Verdict]:
        """Properties that do not hold."""
        return self.having(Outcome.REFUTED)

    @property
    def unproved(self) -> list[Verdict]:
        """Properties that could not be decided."""
        return self.having(Outcome.UNPROVED)

    @property
    def proved(self) -> bool:
        """Whether every property holds."""
        return all(verdict.outcome is Outcome.PROVED for verdict in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        return {
            "proved": self.proved,
            "refuted": bool(self.refuted),
            "cores": self.cores,
            "seconds": round(self.seconds, 4),
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
        }
