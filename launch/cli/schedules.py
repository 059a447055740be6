"""`emu schedules`: what papers publish of schedules, made again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from launch.cli.choices import NETWORKS, SCHEDULES, TableChoice
from launch.cli.lines import say
from launch.cli.option_fields import options_of
from launch.cli.options import COUNT, NEW_FILE, json_option, output_option, print_json
from launch.cli.signals import Terminated
from launch.cli.table_and_plot import TableAndPlot, plot_option
from launch.cli.values import Sizes
from launch.processes.options import RunOptions

if TYPE_CHECKING:
    from launch.schedules.experiments import Row


@click.command(
    short_help="Make the figures that papers publish of schedules again.",
    epilog="""\b
Examples:
  emu schedules --list
  emu schedules levels --networks resnet18
  emu schedules cores --cores 80,120,160 -o cores.csv --plot cores.svg
  emu schedules levels --measurements levels.json
  emu schedules greedy --networks lenet5 --arch small --json""",
)
@click.argument("name", metavar="FIGURE", required=False, type=TableChoice("launch.schedules.experiments:EXPERIMENTS"))
@click.option(
    "--networks",
    type=NETWORKS,
    default=(),
    metavar="NAME,NAME,...",
    help="Networks of `emu zoo` (default: those of the figure).",
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
@output_option(NEW_FILE, "Write the table to this file as CSV.")
@plot_option
@json_option
def command(
    name: str | None,
    listing: bool,
    keep: Path | None,
    output: Path | None,
    plot: Path | None,
    as_json: bool,
    **wanted: Any,
) -> None:
    """Make a FIGURE that papers publish of schedules again, and show theirs beside ours.

    Networks are compiled with each schedule and timed on the figure's chip, in this process, by the model of
    `emu time`. What cannot be compiled is a row with the reason. If the command is stopped, it tells what it has
    measured. docs/schedules.md tells what was found.
    """
    from launch.schedules.experiments import EXPERIMENTS

    if listing and (name or wanted["networks"] or wanted["schedules"] or wanted["cores"] or output or plot):
        raise click.UsageError("--list lists all figures and makes none: give it alone")
    if name is None and not listing:
        raise click.UsageError(f"name a figure, one of {', '.join(EXPERIMENTS)}")
    if name is None:
        _list(as_json)
        return
    from launch.schedules.experiments import Wanted

    _measure(name, Wanted(**wanted), keep, TableAndPlot(output, plot), as_json)


def _measure(name: str, wanted: Any, keep: Path | None, files: TableAndPlot, as_json: bool) -> None:
    """Measure, write the files, tell; of a run that is stopped what is there."""
    from emu.arch_file import load_arch
    from launch.schedules.experiments import cases_of, run
    from launch.schedules.kept import Kept
    from launch.system.cleanup import Cleaning
    from launch.text.progress import progress_bar

    if wanted.chip is not None:
        load_arch(wanted.chip)  # a wrong name is told at once
    cases, kept = cases_of(name, wanted), Kept(keep)
    rows: list[Row] = []
    try:
        with progress_bar(f"measuring {name}", len(cases), as_json) as advance:
            run(cases, kept, advance, rows)
    except (Terminated, KeyboardInterrupt) as end:
        if rows:
            with Cleaning():  # what is measured is worth waiting for
                vars(end)["details"] = _write(name, rows, files)  # beside the error in the JSON object
                if not as_json:
                    _tell(name, rows, files)
        raise
    found = _write(name, rows, files)
    if as_json:
        print_json(found)
    else:
        _tell(name, rows, files)


def _write(name: str, rows: list[Row], files: TableAndPlot) -> dict[str, Any]:
    """The files, and plain values."""
    from launch.schedules.drawing import draw
    from launch.schedules.report import csv_text, values

    files.write(partial(csv_text, rows), partial(draw, name, rows))
    return values(name, rows) | files.values()


def _tell(name: str, rows: list[Row], files: TableAndPlot) -> None:
    from launch.cli.tables import print_table
    from launch.schedules.experiments import EXPERIMENTS
    from launch.schedules.report import sentences, tables

    say(EXPERIMENTS[name].title)
    for table in tables(name, rows):
        print_table(table.title, table.columns, table.rows, table.right)
    for sentence in sentences(name, rows):
        say(sentence)
    say(f"compiled and timed in {sum(row.outcome.seconds for row in rows):.0f} s")
    for path in files.written:
        say(f"written: {path}")


def _list(as_json: bool) -> None:
    from launch.cli.tables import print_table
    from launch.schedules.experiments import EXPERIMENTS

    if as_json:
        rows = [{"figure": name, "title": row.title, "chip": row.chip} for name, row in EXPERIMENTS.items()]
        print_json({"figures": rows})
        return
    cells = [(name, row.chip, ", ".join(row.networks), row.title) for name, row in EXPERIMENTS.items()]
    print_table("", ("figure", "chip", "networks", "what it shows"), cells)
