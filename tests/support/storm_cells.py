"""What the tables of storms say of a group of trials: how many, exit codes, seconds, and what was wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class StormOutcome(Protocol):
    """What came of a trial: seconds until its end, and what was wrong, by column."""

    code: Any
    seconds: float
    problems: Mapping[str, Any]


def cells(group: Sequence[StormOutcome], columns: Sequence[str]) -> str:
    """Trials, exit codes by how often they came, median and longest time, and trials with a problem by column."""
    codes = ", ".join(f"{code}: {count}" for code, count in Counter(one.code for one in group).most_common())
    seconds = sorted(one.seconds for one in group)
    bad = [str(sum(bool(one.problems.get(column)) for one in group)) for column in columns]
    return " | ".join([str(len(group)), codes, f"{seconds[len(seconds) // 2]:.2f}", f"{seconds[-1]:.2f}", *bad])
