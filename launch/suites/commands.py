"""The commands that cases of a suite are, `emu validate` and `emu stress`, and cases made of their command lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from launch.campaigns.case import Case, CaseOrigin, command_case
from launch.suites.words import keys_of

MODEL, PATTERN = "model", "pattern"
# Keys that belong to the whole command, or would replace what a case runs.
NOT_OF_A_CASE = frozenset(
    {"as_json", "debug", "quiet", "verbose", "suite", "list_patterns", "faults", "repeat_faults", "write"}
)
NAME, KEEPS = "name", "keep_artifacts"  # options that a case gets by its name
EXPECT = "expect"  # the key of a case that is an option of all


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
        not_of_one = self.of_all | NOT_OF_A_CASE
        return {key: option for key, option in keys_of(self.command).items() if option.name not in not_of_one}


Commands = Mapping[str, CaseCommand]  # MODEL and PATTERN


def suite_case(
    name: str,
    kind: str,
    target: str,
    command: str,
    options: Sequence[str] = (),
    origin: CaseOrigin | None = None,
    expect: str = "",
) -> Case:
    """A case that runs a command on `target`, a network's file or a pattern; `options` are words of a command line."""
    facts = {each: target if each == kind else None for each in (MODEL, PATTERN)}
    file = target if kind == MODEL else ""
    written = {} if origin is None else {"origin": origin}
    return command_case(name, command, target, *options, facts=facts, file=file, expect=expect, **written)


def kind_of(case: Case, commands: Commands) -> str:
    """The kind of a case, by its command."""
    return next(kind for kind, command in commands.items() if command.name == case.command)
