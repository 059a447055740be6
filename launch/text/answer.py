"""The answer of a command: plain values for JSON, lines and tables for people, a table and a picture for files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under `columns`; `right`: an "r" for each column of numbers, else "l"."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    right: str = ""


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A text that is shown as it is, to be copied or read by a program: no colour, no break, nothing behind its end."""

    text: str


Part = str | Table | Verbatim  # a str is a line, or several


@dataclass(frozen=True, slots=True)
class Answer:
    """`values` are the object of --json, `parts` what people read: made only where it is shown, if it is an iterator.

    `asides` are lines for stderr, `failure` is the sentence there that says why a finished run is no success.
    `csv` makes the table and `draw` the picture (of a suffix) for the files that the command was given.
    """

    values: Mapping[str, Any]
    parts: Iterable[Part] = ()
    asides: Sequence[str] = ()
    failure: str = ""
    exit_code: int = 0
    csv: Callable[[], str] | None = field(default=None, compare=False)
    draw: Callable[[str], bytes] | None = field(default=None, compare=False)


def warnings(sentences: Iterable[str]) -> list[str]:
    """Sentences as the asides that warn of them."""
    return [f"warning: {sentence}" for sentence in sentences]
