"""`emu schedules`: what papers publish of schedules, made again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from launch.cli.answering import answers, json_wanted, unfinished
from launch.cli.choices import NETWORKS, SCHEDULES, TableChoice
from launch.cli.given import listed_alone
from launch.cli.option_fields import options_of
from launch.cli.options import COUNT
from launch.cli.signals import Terminated
from launch.cli.values import NEW_FILE, Sizes
from launch.processes.options import RunOptions
from launch.text.answer import Answer, Table

if TYPE_CHECKING:
    from launch.schedules.experiments import Row, Wanted


@click.command(
    short_help="Make the figures that papers publish of schedules again.",
    epilog="""\b
Examples:
  emu schedules --list
  emu schedules levels --networks resnet18
  emu schedules cores --cores 80,120,160 -o cores.csv --plot cores.svg
  emu schedules levels --measurements levels.json
  emu schedules greedy --networks lenet5 --arch small --json
  emu schedules occ --networks mm,mlp3""",
)
@click.argument("name", metavar="FIGURE", required=False, type=TableChoice("launch.schedules.experiments:EXPERIMENTS"))
@click.option(
    "--networks",
    type=NETWORKS,
    default=(),
    metavar="NAME,NAME,...",
    help="Networks of `emu export`, or kernels, as the figure has them (default: all of these).",
)
@click.option(
    "--schedules",
    type=SCHEDULES,
    default=(),
    metavar="NAME,NAME,...",
    help="Schedules, the first of which the others are compared with (default: those of the figure).",
)
@click.option("--arch", "chip", metavar="CHIP", help="A preset's name or a TOML file (default: the figure's chip).")
@click.option(
    "--cores", type=Sizes(), default=(), metavar="N,N,...", help="Cores that may be used, each number by itself."
)
@click.option(
    "--types",
    type=TableChoice("launch.schedules.measuring:TYPES"),
    default="int8",
    show_default=True,
    help="Types of weights and activations.",
)
@options_of(RunOptions, "flow", texts="As time.")
@click.option("--samples", type=COUNT, default=8, show_default=True, metavar="N", help="As time.")
@click.option(
    "--measurements",
    "keep",
    type=NEW_FILE,
    help="Keep every measurement in this file as soon as it is made, and take those that are in it.",
)
@click.option("--list", "listing", is_flag=True, help="List the figures.")
@answers("-o", plot=True)
def command(name: str | None, listing: bool, keep: Path | None, **wanted: Any) -> Answer:
    """Make a FIGURE that papers publish of schedules again, and show theirs beside ours.

    Networks are compiled with each schedule and timed on the figure's chip, in this process, by the model of
    `emu time`; kernels that call a device run as with `emu offload`. What cannot be compiled is a row with the reason.
    If the command is stopped, it tells what it has measured. docs/schedules.md tells what was found.
    """
    from launch.schedules.experiments import EXPERIMENTS

    if listing:
        listed_alone("--list", "all figures and makes none")
    if name is None and not listing:
        raise click.UsageError(f"name a figure, one of {', '.join(EXPERIMENTS)}")
    if name is None:
        return _list()
    from launch.schedules.experiments import Wanted

    return _measured(name, Wanted(**wanted), keep)


def _measured(name: str, wanted: Wanted, keep: Path | None) -> Answer:
    """What was measured; it is told of a run that is stopped, too."""
    from emu.arch_file import load_arch
    from launch.schedules.answer import figure_answer
    from launch.schedules.experiments import cases_of, run
    from launch.schedules.kept import Kept
    from launch.text.progress import progress_bar

    if wanted.chip is not None:
        load_arch(wanted.chip)  # a wrong name is told at once
    cases, kept = cases_of(name, wanted), Kept(keep)
    rows: list[Row] = []
    try:
        with progress_bar(f"measuring {name}", len(cases), json_wanted()) as advance:
            run(cases, kept, advance, rows)
    except (Terminated, KeyboardInterrupt) as end:
        if rows:
            unfinished(end, figure_answer(name, rows))
        raise
    return figure_answer(name, rows)


def _list() -> Answer:
    from launch.schedules.experiments import EXPERIMENTS

    rows = [{"figure": name, "title": row.title, "chip": row.chip} for name, row in EXPERIMENTS.items()]
    cells = [(name, row.chip, ", ".join(row.networks), row.title) for name, row in EXPERIMENTS.items()]
    return Answer({"figures": rows}, [Table("", ("figure", "chip", "networks", "what it shows"), cells)])
