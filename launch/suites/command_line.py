"""Cases of networks that stand on the command line, and options there, which hold for all cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from launch.campaigns.case import Case
from launch.suites.commands import MODEL, NAME, CaseCommand, Commands, suite_case
from launch.suites.suite_file import Words, named_words
from launch.suites.words import below, words_of

DEADLINE = "deadline"  # on the command line, that of all cases together


def given_words(command: CaseCommand, context: click.Context, arguments: Sequence[str]) -> Words:
    """The options among `arguments` of the command, as words by parameter; not those that no case has.

    Raises UsageError for one that can be of one case only.
    """
    values, _, order = command.command.make_parser(context).parse_args(list(arguments))
    allowed = {option.name for option in command.options().values()} - {DEADLINE}
    if NAME in values:
        raise click.UsageError("--name is of one run: several are called as their files, or by name in a suite file")
    given = {option.name: option for option in order if isinstance(option, click.Option) and option.name in allowed}
    return {str(name): words_of(option, _raw(values, option)) for name, option in given.items()}


def typed_words(context: click.Context, typed: Sequence[str], without: Sequence[str]) -> list[str]:
    """The options of the command at work among the arguments of `emu`, but those of the parameters `without`."""
    command = CaseCommand(str(context.info_name), context.command, lambda parameters: None, frozenset(without))
    words = given_words(command, context, typed[typed.index(str(context.info_name)) + 1 :])
    return [word for each in words.values() for word in each]


def _raw(values: Mapping[str, Any], option: click.Option) -> Any:
    """The text that was typed; of a flag, whether its first spelling was."""
    value = values[str(option.name)]
    return value is not False if option.is_flag else value


def shared_words(given: Words, commands: Commands) -> dict[str, Words]:
    """Per kind of case, the words of the command line that its command has."""
    names = {kind: {option.name for option in command.options().values()} for kind, command in commands.items()}
    return {kind: {name: words for name, words in given.items() if name in names[kind]} for kind in commands}


def cases_of_models(models: Sequence[Path], command: CaseCommand, given: Words) -> list[Case]:
    """A case per file, called as it is without its ending; by its whole path where several are called so."""
    stems = Counter(model.stem for model in models)
    names = [model.stem if stems[model.stem] == 1 else str(model) for model in models]
    return [
        suite_case(name, MODEL, below(Path(), str(model)), command.name, named_words(given, command, name))
        for name, model in zip(names, models, strict=True)
    ]
