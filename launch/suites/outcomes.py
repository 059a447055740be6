"""What exit codes of cases are called: one row per code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from emu.wording import counted
from launch.suites.case import CaseResult

RIGHT = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """`word` is what a table shows, `told` what the cases of this code are called in a count."""

    word: str
    told: str


OUTCOMES = {
    RIGHT: Outcome("PASS", "right"),
    1: Outcome("FAIL", "wrong"),
    2: Outcome("refused", "refused"),
    3: Outcome("trap", "trapped"),
    4: Outcome("deadlock", "deadlocked"),
    5: Outcome("lost", "lost"),
    6: Outcome("timeout", "timed out"),
    None: Outcome("not run", "not run"),
}


def outcome(code: int | None) -> Outcome:
    """That of an exit code; any other code is an error of the project."""
    return OUTCOMES.get(code) or Outcome("error", "ended by an error of the emulator")


def worst(results: Sequence[CaseResult]) -> int:
    """The exit code of all: the highest of any."""
    return max((result.exit_code or RIGHT for result in results), default=RIGHT)


def summary(results: Sequence[CaseResult], seconds: float) -> str:
    """How many are right, and what the others are, in one line."""
    counts = Counter(outcome(result.exit_code).told for result in results if not result.passed)
    others = f" ({', '.join(f'{count} {told}' for told, count in counts.items())})" if counts else ""
    right = sum(result.passed for result in results)
    return f"{right} of {counted(len(results), 'case')} right{others} in {seconds:.1f} s"
