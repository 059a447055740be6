"""Many networks, or the cases of a suite file, in one `emu validate`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from launch.cli.campaigns import CampaignOption, asked, asks_for_campaign, campaign_options, run_campaign
from launch.cli.config import arguments, words_below
from launch.cli.options import apply
from launch.cli.values import FILE
from launch.system.by_name import named
from launch.text.answer import Answer

if TYPE_CHECKING:
    from launch.campaigns.campaign import Campaign
    from launch.campaigns.case import Case
    from launch.suites.commands import CaseCommand, Commands
    from launch.suites.suite_file import Words

# By runs of networks; what else they import, such as a compiler, the second one has from the first.
NEEDED = ("launch.cli.validate", "launch.runs.validation", "launch.runs.answer", "launch.info.summary")
suite_options = apply(
    click.option("--suite", cls=CampaignOption, type=FILE, help="Run the cases of this TOML file (docs/suites.md)."),
    campaign_options,
)


def is_suite(context: click.Context) -> bool:
    """Whether the command line asks for many cases, or for a report that only they have."""
    return len(context.params["models"]) != 1 or asks_for_campaign(context)


def run_suite(context: click.Context) -> Answer:
    """Run all cases and report the results, also if a signal ends the command."""

    def make() -> Campaign:
        from launch.suites.campaign import suite_campaign
        from launch.suites.check import check_cases

        suite, commands = asked(context)["suite"], case_commands()
        cases = _cases(context, commands, suite)
        check_cases(cases, commands)
        return suite_campaign(cases, suite)

    return run_campaign(make, NEEDED, context.params.get("quiet", False))


def _cases(context: click.Context, commands: Commands, suite: Path | None) -> list[Case]:
    """The cases that the command line names."""
    from launch.suites.command_line import cases_of_models, given_words, shared_words
    from launch.suites.commands import MODEL
    from launch.suites.suite_file import read_suite

    models = context.params["models"]
    if suite is not None and models:
        raise click.UsageError("networks are given, and --suite, too: write the networks into the suite file")
    if suite is None and not models:
        raise click.UsageError("name a network (an ONNX file), or several, or give --suite FILE")
    typed = list(context.meta["arguments"]) if suite else arguments(context)
    given = given_words(commands[MODEL], context, typed[typed.index(str(context.info_name)) + 1 :])
    if suite is None:
        return cases_of_models(models, commands[MODEL], given)
    below = {kind: _of_cases(words_below(context, command.name), command) for kind, command in commands.items()}
    return read_suite(suite, commands, shared_words(given, commands), below)


def _of_cases(words: Words, command: CaseCommand) -> Words:
    """Those that a case can have; the name of a run is nobody's default."""
    from launch.suites.command_line import DEADLINE
    from launch.suites.commands import NAME

    known = {option.name for option in command.options().values()} - {NAME, DEADLINE}
    return {name: each for name, each in words.items() if name in known}


def case_commands() -> Commands:
    """The commands that cases may be."""
    from launch.suites.commands import MODEL, PATTERN, CaseCommand

    run, pattern = named("launch.cli.validate:command"), named("launch.cli.stress:command")
    of_all = frozenset(str(option.name) for option in run.params if isinstance(option, CampaignOption))
    return {
        MODEL: CaseCommand("validate", run, _check_run, of_all),
        PATTERN: CaseCommand("stress", pattern, _check_pattern, of_all),
    }


def _check_run(parameters: Mapping[str, Any]) -> None:
    """Raise UsageError or EmuError for options of `emu validate` that it would refuse."""
    from emu.arch.read import load_arch
    from emu.errors import ArchError

    try:
        load_arch(parameters["arch"])
    except ArchError as error:
        option = next(option for option in named("launch.cli.validate:command").params if option.name == "arch")
        raise click.BadParameter(str(error), param=option) from None
    named("launch.cli.validate:check_options")(parameters)


def _check_pattern(parameters: Mapping[str, Any]) -> None:
    """Raise UsageError or EmuError for options of `emu stress` that it would refuse."""
    from emu.stress.patterns import PATTERNS
    from emu.wording import nearest
    from launch.cli.chaos_options import take_chaos

    pattern = parameters["pattern"]
    if pattern not in PATTERNS:
        raise click.UsageError(f"there is no pattern {pattern!r}{nearest(pattern, PATTERNS)}")
    take_chaos(dict(parameters))
