"""Many cases in one `emu validate`: the options of all cases together, and how their report is told."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from launch.cli.answering import json_wanted, tell
from launch.cli.options import COUNT, NEW_FILE, apply
from launch.cli.signals import Terminated
from launch.cli.values import FILE
from launch.system.by_name import named
from launch.system.cleanup import Cleaning
from launch.text.answer import Answer

if TYPE_CHECKING:
    from launch.suites.case import Case, Commands

GITHUB, NO = "github", "none"
INTERRUPTED = 130
META = "launch.suite."


class SuiteOption(click.Option):
    """An option of all cases together: the command of a single case neither has it nor gets its value."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, expose_value=False, callback=_remember, **kwargs)


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    context.meta[f"{META}{parameter.name}"] = value


suite_options = apply(
    click.option("--suite", cls=SuiteOption, type=FILE, help="Run the cases of this TOML file (docs/usage.md)."),
    click.option(
        "--jobs",
        cls=SuiteOption,
        type=COUNT,
        metavar="N",
        default=1,
        show_default=True,
        help="Run so many cases at a time.",
    ),
    click.option("--junit", cls=SuiteOption, type=NEW_FILE, help="Write the results to this file as JUnit XML."),
    click.option(
        "--annotations",
        cls=SuiteOption,
        type=click.Choice((GITHUB, NO)),
        help="Also tell failures as annotations of GitHub Actions (default: github where GITHUB_ACTIONS is true).",
    ),
)


def is_suite(context: click.Context) -> bool:
    """Whether the command line asks for many cases, or for a report that only they have."""
    several = len(context.params["models"]) != 1
    return several or any(
        context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        for parameter in context.command.params
        if isinstance(parameter, SuiteOption)
    )


def run_suite(context: click.Context) -> Answer:
    """Run all cases and tell what came of them, also if a signal ends the command."""
    wanted = {key.removeprefix(META): value for key, value in context.meta.items() if key.startswith(META)}
    commands = case_commands()
    cases = _cases(context, commands, wanted["suite"])
    from launch.cli.suite_telling import Telling
    from launch.suites.check import check_cases
    from launch.suites.report import SuiteReport
    from launch.suites.running import SuiteRun

    check_cases(cases, commands)
    annotate = (wanted["annotations"] or (GITHUB if os.environ.get("GITHUB_ACTIONS") == "true" else NO)) == GITHUB
    quiet, deadline, as_json = context.params.get("quiet", False), context.params.get("deadline"), json_wanted()
    with Telling(len(cases), as_json, quiet, annotate, wanted["junit"]) as telling:
        run = SuiteRun(cases, wanted["jobs"], deadline, telling.tell_result)
        about = _about(context, wanted["suite"], wanted["jobs"], deadline)
        try:
            with run:
                run.run()
        except (Terminated, KeyboardInterrupt) as end:
            with Cleaning():  # the report is worth waiting for
                report = SuiteReport(run.results(), run.seconds, stopped=_code(end), **about)
                tell(telling.answer(report), as_json)
            raise
        return telling.answer(SuiteReport(run.results(), run.seconds, **about))


def _code(end: BaseException) -> int:
    return end.exit_code if isinstance(end, Terminated) else INTERRUPTED


def _about(context: click.Context, suite: Path | None, jobs: int, deadline: float | None) -> dict[str, Any]:
    """What a report tells besides the results."""
    from datetime import UTC, datetime

    from emu.image.digest import digest
    from launch.runs.record import host, versions

    return {
        "jobs": jobs,
        "deadline": deadline,
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": tuple(context.meta["arguments"]),
        "suite": {"path": str(suite), "sha256": digest(suite).sha256} if suite else {},
        "versions": versions(),
        "host": host(),
    }


def _cases(context: click.Context, commands: Commands, suite: Path | None) -> list[Case]:
    """The cases that the command line names."""
    from launch.suites.case import MODEL
    from launch.suites.command_line import cases_of_models, given_words, shared_words
    from launch.suites.suite_file import read_suite

    models = context.params["models"]
    if suite is not None and models:
        raise click.UsageError("networks are given, and --suite, too: write the networks into the suite file")
    if suite is None and not models:
        raise click.UsageError("name a network (an ONNX file), or several, or give --suite FILE")
    typed = list(context.meta["arguments"])
    given = given_words(commands[MODEL], context, typed[typed.index(str(context.info_name)) + 1 :])
    if suite is not None:
        return read_suite(suite, commands, shared_words(given, commands))
    return cases_of_models(models, commands[MODEL], given)


def case_commands() -> Commands:
    """The commands that cases may be."""
    from launch.suites.case import MODEL, PATTERN, CaseCommand

    run, pattern = named("launch.cli.validate:command"), named("launch.cli.stress:command")
    of_all = frozenset(str(option.name) for option in run.params if isinstance(option, SuiteOption))
    return {
        MODEL: CaseCommand("validate", run, _check_run, of_all),
        PATTERN: CaseCommand("stress", pattern, _check_pattern),
    }


def _check_run(parameters: Mapping[str, Any]) -> None:
    """Raise UsageError or EmuError for options of `emu validate` that it would refuse."""
    from emu.arch_file import load_arch
    from emu.errors import ArchError

    try:
        load_arch(parameters["arch"])
    except ArchError as error:
        option = next(option for option in named("launch.cli.validate:command").params if option.name == "arch")
        raise click.BadParameter(str(error), param=option) from None
    named("launch.cli.validate:check_options")(parameters)


def _check_pattern(parameters: Mapping[str, Any]) -> None:
    """The same for `emu stress`."""
    from emu.stress.patterns import PATTERNS
    from emu.wording import nearest
    from launch.cli.chaos_options import take_chaos

    pattern = parameters["pattern"]
    if pattern not in PATTERNS:
        raise click.UsageError(f"there is no pattern {pattern!r}{nearest(pattern, PATTERNS)}")
    take_chaos(dict(parameters))
