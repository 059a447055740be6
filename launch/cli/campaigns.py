"""Campaigns on the command line: their options, which every command that runs cases has, and how they are run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from emu.options import specs
from launch.campaigns.options import GITHUB, NO, OF_SEVERAL, CampaignOptions
from launch.cli.answering import json_wanted, print_answer
from launch.cli.config import arguments, is_given
from launch.cli.option_fields import options_of
from launch.cli.signals import Terminated
from launch.system.cleanup import Cleaning
from launch.text.answer import Answer

if TYPE_CHECKING:
    from launch.campaigns.campaign import Campaign, CampaignReport
    from launch.campaigns.starting import Place

INTERRUPTED = 130
META = "launch.campaign."


class CampaignOption(click.Option):
    """An option of all cases together: the command of a single case neither has it nor gets its value."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, expose_value=False, callback=_remember, **kwargs)


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    context.meta[f"{META}{parameter.name}"] = value


def campaign_options_without(*names: str, **more: dict[str, Any]) -> Any:
    """The options of a campaign without some, which the command has in its own way; `more` as of `options_of`."""
    return options_of(CampaignOptions, without=names, cls=CampaignOption, **more)


campaign_options = campaign_options_without()


def asked(context: click.Context) -> dict[str, Any]:
    """What the options of all cases together say, by parameter."""
    return {key.removeprefix(META): value for key, value in context.meta.items() if key.startswith(META)}


def asks_for_campaign(context: click.Context) -> bool:
    """Whether the command line has an option that chooses among cases, or tells of them elsewhere."""
    return any(
        is_given(context, str(parameter.name))
        for parameter in context.command.params
        if isinstance(parameter, CampaignOption) and parameter.name not in OF_SEVERAL
    )


def run_campaign(
    make: Callable[[], Campaign], needed: Sequence[str] | None = (), quiet: bool = False, **own: Any
) -> Answer:
    """Run the cases of the present command, and report the results, also if a signal ends it.

    While `make` makes the campaign, a warm process imports the modules `needed` by its cases (None: these run here, as
    they measure this process). `own` are fields of `CampaignOptions` that the command has in its own way. Raises
    InputError if no case is meant.
    """
    context = click.get_current_context()
    known = asked(context)
    options = CampaignOptions(**{name: known[name] for name in specs(CampaignOptions) if name in known} | own)
    from launch.campaigns import starting

    with starting.place_for(needed, options.isolated) as place:
        if not options.list_cases:
            place.begin()
        return _run(context, make(), options, place, quiet)


def _run(context: click.Context, campaign: Campaign, options: CampaignOptions, place: Place, quiet: bool) -> Answer:
    from launch.campaigns.campaign import CampaignReport
    from launch.campaigns.running import CampaignRun
    from launch.campaigns.selecting import LastFailed, place_of, selected
    from launch.cli.campaign_output import CampaignOutput

    memory = LastFailed(campaign.memory or place_of(campaign.name))
    campaign = replace(campaign, cases=selected(campaign.cases, options, memory.names() if options.last_failed else ()))
    if options.list_cases:
        return campaign.listing()
    annotate = (options.annotations or (GITHUB if os.environ.get("GITHUB_ACTIONS") == "true" else NO)) == GITHUB
    deadline, as_json = context.params.get("deadline"), json_wanted()
    with CampaignOutput(campaign, as_json, quiet, annotate, options.junit) as output:
        run = CampaignRun(
            campaign.cases,
            lambda result: (campaign.ended(result), output.show_result(result))[-1],
            jobs=options.jobs,
            deadline=deadline,
            timeout=campaign.timeout,
            first=options.fail_fast,
            place=place,
            judge=campaign.outcome,
        )
        about = _about(context, options.jobs, deadline)
        try:
            with run:
                run.run()
        except (Terminated, KeyboardInterrupt) as end:
            with Cleaning():  # the report is worth waiting for
                report = CampaignReport(campaign, run.results(), run.seconds, stopped=_code(end), **about)
                _learn(memory, report)
                print_answer(output.answer(report), as_json)
            raise
        report = CampaignReport(campaign, run.results(), run.seconds, **about)
        _learn(memory, report)
        return output.answer(report)


def _learn(memory: Any, report: CampaignReport) -> None:
    ran = [result for result in report.results if result.exit_code is not None]
    wrong = {result.case.name for result in report.failed}
    memory.learn([result.case.name for result in ran if result.case.name not in wrong], sorted(wrong))


def _code(end: BaseException) -> int:
    return end.exit_code if isinstance(end, Terminated) else INTERRUPTED


def _about(context: click.Context, jobs: int, deadline: float | None) -> dict[str, Any]:
    """The values of a report besides the results."""
    from datetime import UTC, datetime

    from launch.runs.record import host, versions

    return {
        "jobs": jobs,
        "deadline": deadline,
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": tuple(arguments(context)),
        "versions": versions(),
        "host": host(),
    }
