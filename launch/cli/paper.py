"""`emu paper`: figures that papers publish, made again."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from launch.cli.answering import answers
from launch.cli.campaigns import asked, campaign_options_without, run_campaign
from launch.cli.choices import NETWORKS, SCHEDULES, TableChoice
from launch.cli.completion import figures, papers, presets
from launch.cli.given import is_typed, listed_alone
from launch.cli.option_fields import options_of
from launch.cli.options import COUNT, apply
from launch.cli.values import FILE, NEW_FILE, WholeNumbers
from launch.processes.options import RunOptions
from launch.text.answer import Answer, Table

if TYPE_CHECKING:
    from launch.campaigns.campaign import Campaign
    from launch.papers.frame.figure import FigureRequest, WantedOptions

# What a figure may be made with instead of its own: one for each field of `launch.papers.frame.figure.WantedOptions`.
wanted_options = apply(
    click.option(
        "--networks",
        type=NETWORKS,
        default=(),
        metavar="NAME,NAME,...",
        help="Networks of `emu export`, or kernels, as the figure has them (default: all of these).",
    ),
    click.option(
        "--schedules",
        type=SCHEDULES,
        default=(),
        metavar="NAME,NAME,...",
        help="Schedules, the first of which the others are compared with (default: those of the figure).",
    ),
    click.option(
        "--arch",
        metavar="CHIP",
        shell_complete=presets,
        help="A preset's name or a TOML file (default: the figure's chip).",
    ),
    click.option(
        "--cores",
        type=WholeNumbers(),
        default=(),
        metavar="N,N,...",
        help="Cores that may be used, each number by itself.",
    ),
    click.option(
        "--types",
        type=TableChoice("launch.papers.schedules.case:TYPES"),
        help="Types of weights and activations (default: int8).",
    ),
    options_of(RunOptions, "flow", texts="Flow control of messages (default: rendezvous).", defaults=False),
    click.option("--samples", type=COUNT, metavar="N", help="Samples back to back that are timed (default: 8)."),
    click.option(
        "--sizes",
        type=WholeNumbers(),
        default=(),
        metavar="N,N,...",
        help="Pixels of a side of images (default: the figure's).",
    ),
    click.option(
        "--repeat",
        type=COUNT,
        metavar="N",
        help="Number of measurements of a time, of which the median is taken (default: 3).",
    ),
)


@click.command(
    short_help="Make figures of papers again, beside what they publish.",
    epilog="""\b
Examples:
  emu paper
  emu paper raptor/mapping
  emu paper occ --networks mm,mlp3 --published
  emu paper cim-mlc/levels --networks resnet18 -j 2 --measurements levels.json
  emu paper cim-mlc/levels --list
  emu paper raptor/compile-time --sizes 4,8,12 --repeat 1 --csv times.csv --plot times.svg
  emu paper --write docs/schedules.md""",
)
@click.argument("name", metavar="PAPER[/FIGURE]", required=False, shell_complete=papers)
@click.argument("figure", required=False, default="", shell_complete=figures)
@wanted_options
@click.option("--published", "brief", is_flag=True, help="Tell only what is published, beside ours.")
@click.option("--markdown", is_flag=True, help="Print tables as Markdown.")
@click.option(
    "--measurements",
    type=NEW_FILE,
    help="Keep every measurement in this file as soon as it is made, and take those that are in it.",
)
@click.option(
    "--write",
    type=FILE,
    help="Make anew what stands in this Markdown page between <!-- emu paper: PAPER/FIGURE ... --> and the line that"
    " ends it; with PAPER only its figures.",
)
@campaign_options_without(
    list_cases={
        "help": "List the papers; of PAPER the measurements of its figures, with the commands that come to the same."
    }
)
@answers("Write the table to this file.", plot=True)
def command(
    name: str | None,
    figure: str,
    brief: bool,
    markdown: bool,
    measurements: Path | None,
    write: Path | None,
    **wanted: Any,
) -> Answer:
    """Make the figures of a PAPER again, and show what is published beside ours: met within 20 %, or why not.

    Figures share what they measure: networks that are compiled and timed as `emu compile` and `emu time` do, kernels
    that call a device as `emu offload` does. What cannot be compiled is a row with the reason. If the command is
    stopped, it tells what it has. Without FIGURE it makes all of PAPER, and without PAPER it lists the papers.
    docs/papers.md tells what was found.
    """
    context = click.get_current_context()
    chosen = asked(context)
    if name is None and write is None:
        listed_alone("--list", "all papers and makes no figure", named="name a paper (`emu paper` lists all)")
        return _list()
    if write is not None and any(chosen[each] for each in ("select", "last_failed", "shard", "fail_fast")):
        raise click.UsageError("--write makes whole figures: leave what chooses some of their measurements out")
    with ExitStack() as stack:

        def make() -> Campaign:
            from launch.papers.frame.campaign import paper_campaign
            from launch.papers.frame.kept import KeptValues

            requests = _requests(context, name, figure, wanted, brief, write)
            return stack.enter_context(paper_campaign(requests, KeptValues(measurements), write, markdown))

        return run_campaign(make, ("launch.papers.frame.campaign", "launch.papers.schedules.measuring"))


def _requests(
    context: click.Context, name: str | None, figure: str, wanted: Mapping[str, Any], brief: bool, page: Path | None
) -> dict[str, list[FigureRequest]]:
    """What is asked for, by the command that asks for it: of a page all of its commands, or those of the paper."""
    from launch.papers.frame.figure import WantedOptions
    from launch.papers.frame.library import requested

    if page is None:
        assert name is not None
        return {"": requested(name, figure, WantedOptions(**wanted), brief)}
    if figure or any(wanted.values()) or brief:
        raise click.UsageError("--write makes what the page asks for: write other options there")
    from emu.errors import InputError
    from launch.papers.frame.page import commands_of

    commands = commands_of(page)
    found = {text: words for text, words in commands.items() if name is None or words[0].split("/")[0] == name}
    if not found:
        raise InputError(f"{page} has nothing of {name}: it has {', '.join(commands)}")
    return {text: requested(*_parsed(context, f"{page}: {text}", words)) for text, words in found.items()}


def _parsed(context: click.Context, where: str, words: list[str]) -> tuple[str, str, WantedOptions, bool]:
    """What the words of a command in a page ask for; UsageError for what means nothing there."""
    from launch.papers.frame.figure import WantedOptions

    with context.command.make_context("paper", list(words)) as parsed:
        fields = {each.name for each in dataclasses.fields(WantedOptions)}
        typed = [each for each in parsed.command.params if is_typed(parsed, each.name)]
        if strange := [each.opts[0] for each in typed if each.name not in (*fields, "name", "figure", "brief")]:
            raise click.UsageError(f"{where}: {strange[0]} means nothing in a page: leave it out")
        if parsed.params["name"] is None:
            raise click.UsageError(f"{where}: begin with the name of a paper")
        wanted = WantedOptions(**{name: parsed.params[name] for name in fields})
        return parsed.params["name"], parsed.params["figure"], wanted, parsed.params["brief"]


def _list() -> Answer:
    from launch.papers.frame.library import paper, paper_names

    papers = {name: paper(name) for name in paper_names()}
    values = [
        {
            "paper": name,
            "about": each.about,
            "source": each.source,
            "figures": [
                {"figure": figure.name, "title": figure.title, "chip": figure.chip or None} for figure in each.figures
            ],
        }
        for name, each in papers.items()
    ]
    rows = [(name, ", ".join(figure.name for figure in each.figures), each.about) for name, each in papers.items()]
    return Answer({"papers": values}, [Table("", ("paper", "figures", "what is made again"), rows)])
