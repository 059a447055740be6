"""Checks of all cases before the first one runs: their options, their names, the files that they write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click

from emu.errors import EmuError, InputError, shown
from launch.campaigns.case import Case
from launch.suites.commands import KEEPS, Commands, kind_of

SHARED = (KEEPS, "cache")  # directories that are made for many runs
_OPTION = re.compile(r"--([a-z][a-z-]*)")


def check_cases(cases: Sequence[Case], commands: Commands) -> None:
    """Raise InputError for the first case that would be rejected when it runs, or that conflicts with another one."""
    names: dict[str, Case] = {}
    written: dict[tuple[str, str], Case] = {}
    for case in cases:
        other = names.setdefault(case.name, case)
        if other is not case:
            if not case.origin.file:
                raise InputError(f"{case.file} is given twice: name each network once")
            raise InputError(
                f"{case.place()}the case of line {other.origin.line('')} has this name, too: give one of them another "
                "by the key name"
            )
        for key, path in _written(_parsed(case, commands)):
            other = written.setdefault((key, str(Path(path).absolute())), case)
            if other is not case:
                raise InputError(
                    f"{case.place(key)}{key} {path} is also that of case {shown(other.name)}: give each case its own"
                )


def _parsed(case: Case, commands: Commands) -> click.Context:
    """The case's command line, read as its command reads it."""
    kind = kind_of(case, commands)
    command = commands[kind]
    try:
        context = command.command.make_context(command.name, list(case.repeat[1:]))
        command.check(dict(context.params))
    except click.BadParameter as error:
        key = _key(error.param, kind)
        raise InputError(f"{case.place(key)}{f'{key}: ' if key else ''}{_sentence(error.message)}") from None
    except (click.ClickException, EmuError) as error:
        sentence = _sentence(error.format_message() if isinstance(error, click.ClickException) else str(error))
        named = (key for key in _OPTION.findall(sentence) if key in command.options())
        raise InputError(f"{case.place(next(named, ''))}{sentence}") from None
    return context


def _written(context: click.Context) -> list[tuple[str, str]]:
    """Options of a case that name what it writes, with the paths."""
    return [
        (_key(option, ""), str(context.params[option.name]))
        for option in context.command.params
        if isinstance(option, click.Option)
        and isinstance(option.type, click.Path)
        and not option.type.exists
        and option.name not in SHARED
        and context.params.get(str(option.name)) is not None
    ]


def _key(parameter: click.Parameter | None, kind: str) -> str:
    """The key that a value was given by."""
    if parameter is None or isinstance(parameter, click.Argument):
        return kind if parameter else ""
    return next((text for text in parameter.opts if text.startswith("--")), "").removeprefix("--")


def _sentence(text: str) -> str:
    """Click's words without the full stop."""
    return " ".join(text.split()).rstrip(".")
