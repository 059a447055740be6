"""Outcomes of cases: a row per exit code, the outcome that a case expects, and the summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from emu.wording import counted
from launch.campaigns.case import CaseResult

RIGHT, WRONG = 0, 1
PASSED, FAILED, BROKEN, IDLE = "passed", "failed", "broken", "idle"  # kinds of outcome for a CI server


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """`word` is what a table shows, `counted_as` what the cases of this code are called in a count.

    `kind` is the outcome for a CI server: a test that passed, failed, is broken, or was not run.
    """

    word: str
    counted_as: str
    kind: str = BROKEN

    @property
    def good(self) -> bool:
        """Whether it is no failure."""
        return self.kind in (PASSED, IDLE)


OUTCOMES: Mapping[int | None, CaseOutcome] = {
    RIGHT: CaseOutcome("PASS", "right", PASSED),
    WRONG: CaseOutcome("FAIL", "wrong", FAILED),
    2: CaseOutcome("refused", "refused"),
    3: CaseOutcome("trap", "trapped"),
    4: CaseOutcome("deadlock", "deadlocked"),
    5: CaseOutcome("lost", "lost"),
    6: CaseOutcome("timeout", "timed out"),
    None: CaseOutcome("not run", "not run", IDLE),
}
# The outcomes that a case may expect: the word, and its exit code.
EXPECTED = {"right": 0, "wrong": 1, "refused": 2, "trap": 3, "deadlock": 4, "lost": 5, "timeout": 6}
Judge = Callable[[CaseResult], CaseOutcome]


def outcome(result: CaseResult) -> CaseOutcome:
    """The outcome of an exit code; an unknown code is an internal error."""
    return OUTCOMES.get(result.exit_code) or CaseOutcome("error", "ended by an error of the emulator")


def judged(result: CaseResult) -> CaseResult:
    """The result judged by what its case expects: passed if the outcome is the expected one, else failed."""
    expect, code = result.case.expect, result.exit_code
    if not expect or code is None:
        return result
    came = next((word for word, expected in EXPECTED.items() if expected == code), "an error of the emulator")
    because = f": {result.reason}" if result.reason else ""
    if came == expect:
        return replace(result, exit_code=RIGHT, reason=f"{expect}, as expected{because}" if code else "")
    return replace(result, exit_code=WRONG, reason=f"{expect} is expected, and it is {came}{because}")


def worst(results: Sequence[CaseResult]) -> int:
    """The exit code of all: the highest of any."""
    return max((result.exit_code or RIGHT for result in results), default=RIGHT)


def summary(results: Sequence[CaseResult], seconds: float, judge: Judge = outcome) -> str:
    """The summary line: how many passed, and the counts of the other outcomes."""
    found = [judge(result) for result in results]
    counts = Counter(each.counted_as for each in found if each.kind != PASSED)
    others = f" ({', '.join(f'{count} {counted_as}' for counted_as, count in counts.items())})" if counts else ""
    right = sum(each.kind == PASSED for each in found)
    return f"{right} of {counted(len(results), 'case')} right{others} in {seconds:.1f} s"
