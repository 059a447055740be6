"""The report of a run of the suite: per operator, in total, refusals, differences."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from emu.wording import counted
from launch.conformance.cases import KINDS
from launch.conformance.result import FAILED, KINDS_OF_INPUTS, NOT_RUN, OUTCOMES, PASSED, REFUSED, ConformanceResult
from launch.text.answer import Table

# What differs from case to case, and what stands there instead.
_FORMS = (
    (re.compile(r"; docs/operators\.md lists .*"), ""),
    (re.compile(r"^model '[^']*':? "), ""),
    (re.compile(r" \('[^()]*\)"), ""),  # names of nodes behind an operator
    (re.compile(r"'[^']*'"), "'...'"),
    (re.compile(r"\bnode \S+ \("), "node '...' ("),
    (re.compile(r"\[[-0-9, ?]*\]"), "[...]"),
    (re.compile(r"\b(\d+( x \d+)+|\d{4,})\b"), "..."),
)


def reason_group(sentence: str) -> str:
    """The sentence without names and shapes of the case."""
    for pattern, instead in _FORMS:
        sentence = pattern.sub(instead, sentence)
    return sentence


def refusals(results: Iterable[ConformanceResult]) -> Mapping[str, list[str]]:
    """Group -> names of the cases that were refused so, the largest group first."""
    groups: dict[str, list[str]] = defaultdict(list)
    for result in results:
        if result.outcome == REFUSED:
            groups[reason_group(result.reason)].append(result.name)
    return dict(sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])))


WRONG, LATE = 1, 6  # exit codes
_BEFORE = re.compile(r"^(node '\.\.\.' \(\w+\)|input '\.\.\.') | '\.\.\.' \(\w+\)")  # what differs between operators
FEW_NAMES = 3  # cases that are named for a reason


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """The results in the order of the cases; `about` is what else is told: how it was run.

    `stopped` is the exit code of a signal that ended the command.
    """

    results: Sequence[ConformanceResult]
    seconds: float
    about: dict[str, Any] = field(default_factory=dict[str, Any])
    stopped: int = 0

    @property
    def exit_code(self) -> int:
        """0: none failed; 1: one did; 6: none did, but the deadline came before the last one."""
        if self.stopped:
            return self.stopped
        outcomes = {result.outcome for result in self.results}
        return WRONG if FAILED in outcomes else LATE if NOT_RUN in outcomes else 0

    def table(self) -> Table:
        """Rows per operator, and a last one for all; columns of 0 are left out."""
        used = [outcome for outcome in OUTCOMES if outcome == PASSED or self._of(outcome)]
        groups = {name: list(found) for name, found in self._by_operator().items()}
        rows = [[name, *_counts(found, used)] for name, found in sorted(groups.items())]
        rows.append(["all", *_counts(self.results, used)])
        return Table("", ["operator", *used], rows, "l" + "r" * len(used))

    def lines(self) -> list[str]:
        """Refusals by reason, what failed, and the totals, by kind if there are several."""
        lines = [f"refused {len(names)}: {group} ({_some(names)})" for group, names in refusals(self.results).items()]
        lines += self._inputs()
        lines += [f"FAIL  {result.name}: {result.reason}" for result in self._of(FAILED)]
        kinds = [kind for kind in KINDS if any(result.kind == kind for result in self.results)]
        if len(kinds) > 1:
            lines += [f"{kind}: {_outcome_counts([r for r in self.results if r.kind == kind])}" for kind in kinds]
        return [*lines, f"{_outcome_counts(self.results)} in {self.seconds:.1f} s"]

    def _inputs(self) -> list[str]:
        """How many of the cases that passed had which inputs live, and why the others could not be."""
        passed = self._of(PASSED)
        counts = [f"{count} with {kind}" for kind, count in self._live(passed).items() if count]
        if len(counts) < 2:
            return []
        groups: dict[str, list[ConformanceResult]] = {}
        for result in passed:
            if result.inputs.frozen:
                groups.setdefault(_BEFORE.sub("", reason_group(result.inputs.why)), []).append(result)
        ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
        rows = [(len(found), group, sorted({result.operator for result in found})) for group, found in ordered]
        lines = [f"frozen {number}: {group} ({', '.join(operators)})" for number, group, operators in rows]
        return [*lines, f"{', '.join(counts)}"]

    @staticmethod
    def _live(results: Iterable[ConformanceResult]) -> dict[str, int]:
        count = Counter(result.inputs.kind for result in results)
        return {kind: count[kind] for kind in KINDS_OF_INPUTS}

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        return {
            **self.about,
            "totals": _totals(self.results),
            "kinds": {kind: _totals(found) for kind in KINDS if (found := [r for r in self.results if r.kind == kind])},
            "operators": {name: _totals(found) for name, found in sorted(self._by_operator().items())},
            "refusals": [{"reason": group, "cases": names} for group, names in refusals(self.results).items()],
            "inputs": self._live(self._of(PASSED)),
            "cases": [result.to_dict() for result in self.results],
            "seconds": round(self.seconds, 3),
            "exit_code": self.exit_code,
        }

    def _of(self, outcome: str) -> list[ConformanceResult]:
        return [result for result in self.results if result.outcome == outcome]

    def _by_operator(self) -> dict[str, list[ConformanceResult]]:
        groups: dict[str, list[ConformanceResult]] = {}
        for result in self.results:
            groups.setdefault(result.operator, []).append(result)
        return groups


def _counts(results: Iterable[ConformanceResult], outcomes: Sequence[str]) -> list[int]:
    count = Counter(result.outcome for result in results)
    return [count[outcome] for outcome in outcomes]


def _totals(results: Sequence[ConformanceResult]) -> dict[str, int]:
    """The number of results per outcome, and in total."""
    return {**dict(zip(OUTCOMES, _counts(results, list(OUTCOMES)), strict=True)), "cases": len(results)}


def _outcome_counts(results: Sequence[ConformanceResult]) -> str:
    counts = zip(OUTCOMES, _counts(results, list(OUTCOMES)), strict=True)
    others = [f"{count} {outcome}" for outcome, count in counts if count and outcome != PASSED]
    passed = sum(result.outcome == PASSED for result in results)
    return f"{passed} of {counted(len(results), 'case')} passed" + (f" ({', '.join(others)})" if others else "")


def _some(names: Sequence[str]) -> str:
    more = len(names) - FEW_NAMES
    return ", ".join(names[:FEW_NAMES]) + (f" and {more} more" if more > 0 else "")
