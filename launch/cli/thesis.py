"""`emu thesis`: the measurements of the thesis on channel-wise lowering, repeated."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from launch.cli.choices import TableChoice
from launch.cli.lines import say
from launch.cli.options import COUNT, NEW_FILE, json_option, output_option, print_json
from launch.cli.table_and_plot import TableAndPlot, plot_option
from launch.cli.values import Sizes


@click.command(
    short_help="Repeat the measurements of the channel-wise thesis.",
    epilog="""\b
Examples:
  emu thesis --list
  emu thesis mapping
  emu thesis instructions -o counts.csv --plot counts.svg
  emu thesis compile-time --sizes 4,8,12 --repeat 1
  emu thesis ir-size --json""",
)
@click.argument("name", metavar="EXPERIMENT", required=False, type=TableChoice("launch.thesis.experiments:EXPERIMENTS"))
@click.option(
    "--sizes",
    type=Sizes(),
    metavar="N,N,...",
    help="Pixels of a side of the images (default: those of the thesis, or small ones).",
)
@click.option(
    "--repeat", type=COUNT, metavar="N", help="Of compile-time: compile so often, and take the median (default: 3)."
)
@click.option("--list", "listing", is_flag=True, help="List the experiments.")
@output_option(NEW_FILE, "Write the table to this file as CSV.")
@plot_option
@json_option
def command(
    name: str | None,
    sizes: tuple[int, ...] | None,
    repeat: int | None,
    listing: bool,
    output: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Repeat an EXPERIMENT of the thesis on channel-wise lowering in RAPTOR, and show its figures beside ours.

    A convolution is compiled channel by channel, as `emu compile` does it, and pixel by pixel, the older scheme
    (`emu compile --lowering pixel`). docs/thesis.md tells what is measured, and what was found.
    """
    from launch.thesis.experiments import EXPERIMENTS

    if listing and (name or sizes or repeat or output or plot):
        raise click.UsageError("--list lists all experiments and runs none: give it alone")
    if name is None and not listing:
        raise click.UsageError(f"name an experiment, one of {', '.join(EXPERIMENTS)}")
    if name is None:
        _list({name: row.title for name, row in EXPERIMENTS.items()}, as_json)
        return
    experiment = EXPERIMENTS[name]
    if sizes and not experiment.sizes:
        raise click.UsageError(f"--sizes means nothing to {name}, whose figures depend on no image: leave it out")
    if repeat and not experiment.repeats:
        raise click.UsageError(f"--repeat means nothing to {name}, which times nothing: leave it out")
    _run(name, sizes or experiment.sizes, repeat or experiment.repeats, output, plot, as_json)


def _run(name: str, sizes: tuple[int, ...], repeat: int, output: Path | None, plot: Path | None, as_json: bool) -> None:
    """Measure, write the files, tell."""
    from launch.cli.tables import print_table
    from launch.text.progress import progress_bar
    from launch.thesis.drawing import draw
    from launch.thesis.experiments import EXPERIMENTS, Settings, steps_of
    from launch.thesis.published import SOURCE
    from launch.thesis.report import csv_text, tables, values

    files = TableAndPlot(output, plot)
    with progress_bar(f"measuring {name}", steps_of(sizes, repeat), as_json) as advance:
        result = EXPERIMENTS[name].run(Settings(sizes, repeat, advance))
    files.write(partial(csv_text, result), partial(draw, result))
    if as_json:
        print_json(values(result) | files.values())
        return
    say(EXPERIMENTS[name].title)
    for table in tables(result):
        print_table(table.title, table.columns, table.rows, table.right)
    if result.comparisons:
        say(f"source: {SOURCE}")
    for path in files.written:
        say(f"written: {path}")


def _list(titles: dict[str, str], as_json: bool) -> None:
    from launch.cli.tables import print_table

    rows: list[Any] = list(titles.items())
    if as_json:
        print_json({"experiments": [{"experiment": name, "title": title} for name, title in rows]})
    else:
        print_table("", ("experiment", "what it measures"), rows)
