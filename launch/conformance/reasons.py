"""Reasons of refusals in groups: equal sentences but for names and shapes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from launch.conformance.result import REFUSED, ConformanceResult

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
