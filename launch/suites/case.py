"""A case: one command line of `emu validate` or `emu stress`, and what came of it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import click

from emu.errors import shown

MODEL, PATTERN = "model", "pattern"
# Keys that belong to the whole command, or would replace what a case runs.
NOT_OF_A_CASE = frozenset({"as_json", "debug", "quiet", "verbose", "suite", "list_patterns"})
NAME, KEEPS = "name", "keep_artifacts"  # options that a case gets by its name


@dataclass(frozen=True, slots=True)
class CaseCommand:
    """The command that cases of a kind are: its click command, and what checks the parsed options before it runs.

    `check` raises UsageError or EmuError; `of_all` are options of the command for all cases, which no case has.
    """

    name: str
    command: click.Command
    check: Callable[[Mapping[str, Any]], None]
    of_all: frozenset[str] = frozenset()

    def options(self) -> dict[str, click.Option]:
        """The options of a case, by key: each long spelling without its dashes."""
        return {
            spelling.removeprefix("--"): option
            for option in self.command.params
            if isinstance(option, click.Option) and option.name not in self.of_all | NOT_OF_A_CASE
            for spelling in option.opts
            if spelling.startswith("--")
        }


Commands = Mapping[str, CaseCommand]  # MODEL and PATTERN


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a case is written: a file, and the line of a key of it ("": of the case itself; 0: not there)."""

    file: str = ""
    line: Callable[[str], int] = lambda key: 0

    def place(self, key: str = "") -> str:
        """What an error about the key begins with."""
        line = (self.line(key) or self.line("")) if self.file else 0
        return f"{self.file}, line {line}: " if line else f"{self.file}: " if self.file else ""


@dataclass(frozen=True, slots=True)
class Case:
    """What runs: `target` is a network's file or a pattern, `options` are words of a command line."""

    name: str
    kind: str
    target: str
    command: str
    options: tuple[str, ...]
    origin: Origin = field(default_factory=Origin, compare=False, repr=False)

    def place(self, key: str = "") -> str:
        """What an error about it, or about a key of it, begins with."""
        return f"{self.origin.place(key)}case {shown(self.name)}: "

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of `emu`."""
        return (self.command, self.target, *self.options)

    @property
    def command_line(self) -> str:
        """What to type into a shell, in the same directory, to run it alone."""
        return shlex.join(("emu", *self.arguments))


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of a case: its exit code (None: it did not run to its end), why that is not 0, and what it said.

    `report` is the object of its --json, `seconds` the time of its process, `output` and `errors` its text.
    """

    case: Case
    exit_code: int | None
    reason: str = ""
    seconds: float = 0.0
    report: Mapping[str, Any] = field(default_factory=dict)
    output: str = ""
    errors: str = ""

    @property
    def passed(self) -> bool:
        """Whether it ran and is right."""
        return self.exit_code == 0

    @property
    def lines(self) -> list[str]:
        """What came out as people read it, the verdict last; of what has no verdict nothing."""
        lines = self.report.get("lines")
        return list(map(str, lines)) if isinstance(lines, list) else []

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        case = self.case
        return {
            "name": case.name,
            **{kind: case.target if case.kind == kind else None for kind in (MODEL, PATTERN)},
            "command": list(case.arguments),
            "exit_code": self.exit_code,
            "seconds": round(self.seconds, 3),
            "reason": self.reason,
            "report": dict(self.report) or None,
        }
