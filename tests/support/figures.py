"""Figures of pages: numbers with units of time, energy, power or rates, and where the page says that they come from.

A section says it in a comment, for all that follows in it: `recomputed: TEST` by a test, `measured: STAMP; COMMAND`
by a command that stamps the state (see `stamps`), `quoted: SOURCE` from elsewhere. Two more are no claims of the
product's: `set: WHERE`, what somebody chose, such as a time limit, and `shown: WHAT`, one run's times in its output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

KINDS = ("recomputed", "measured", "quoted", "set", "shown")
_COMMENT = re.compile(r"^<!-- (?P<kind>\w+): (?P<text>.*?) -->$")
_HEADING = re.compile(r"^(#+) ")
_UNIT = r"(?:ms|us|µs|ns|ps|s|mJ|uJ|nJ|pJ|mW|W|(?:samples|messages|[kM]?B|instructions)/s|samples per second)"
_FIGURE = re.compile(rf"\d ?{_UNIT}\b")


@dataclass(frozen=True)
class Source:
    """Where the figures of a section come from."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True)
class Line:
    """A line of a page with figures; `source` is None where the page does not say where they come from."""

    number: int
    text: str
    source: Source | None


def sources(text: str) -> Iterator[Source]:
    """What the sections of a page say of their figures."""
    for number, line in enumerate(text.splitlines(), 1):
        found = _COMMENT.match(line)
        if found and found["kind"] in KINDS:
            yield Source(found["kind"], found["text"], number)


def lines(text: str) -> Iterator[Line]:
    """The lines with figures. A source holds to the end of its section, with the sections in it."""
    stated, holds, fenced = {source.line: source for source in sources(text)}, dict[int, Source](), False
    depth = 1
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.startswith("```")
        heading = None if fenced else _HEADING.match(line)
        if heading:
            depth = len(heading[1])
            holds = {level: source for level, source in holds.items() if level < depth}
        if number in stated:
            holds[depth] = stated[number]
        elif _FIGURE.search(line):
            yield Line(number, line, holds[max(holds)] if holds else None)


def unsourced(page: Path) -> list[str]:
    """The lines of a page whose figures come from nowhere."""
    found = lines(page.read_text("utf-8"))
    return [f"{page.name}:{line.number}: {line.text}" for line in found if line.source is None]
