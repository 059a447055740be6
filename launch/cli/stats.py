"""`emu stats`: what the programs of a directory consist of, and what they do in a sample."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from launch.cli.lines import say
from launch.cli.options import IMAGE, NEW_FILE, json_option, print_json
from launch.cli.table_and_plot import TableAndPlot, plot_option


@click.command(
    short_help="Instruction mix, bytes moved, MACs, crossbars of programs.",
    epilog="""\b
Examples:
  emu stats out/lenet
  emu stats out/lenet --per-core --csv lenet.csv
  emu stats out/lenet --compare out/packed --plot mix.svg
  emu stats out/lenet --json""",
)
@click.argument("out", type=IMAGE)
@click.option("--compare", type=IMAGE, metavar="OTHER", help="Show another directory beside it.")
@click.option("--per-core", "by_core", is_flag=True, help="Also list every core.")
@click.option("--csv", "table", type=NEW_FILE, metavar="FILE", help="Write all counts of all cores to this file.")
@plot_option
@json_option
def command(
    out: Path, compare: Path | None, by_core: bool, table: Path | None, plot: Path | None, as_json: bool
) -> None:
    """Count what the programs of the directory OUT hold and do in one sample, by core and in total.

    Instructions as they are written, and unrolled: as often as they run. Bytes moved in local memory, to and from
    global memory and between cores, messages, multiplications (MACs), crossbars, and the share of their cells that
    hold weights.
    """
    from launch.cli.tables import print_table
    from launch.stats.counting import read_stats
    from launch.stats.drawing import draw
    from launch.stats.report import LEGEND, StatsReport

    files = TableAndPlot(table, plot, "--csv")
    report = StatsReport(read_stats(out), None if compare is None else read_stats(compare), by_core)
    files.write(report.csv, partial(draw, report))
    if as_json:
        print_json(report.values() | files.values())
        return
    for line in report.lines():
        say(line)
    for shown in report.tables():
        print_table(shown.title, shown.columns, shown.rows, shown.right)
    for line in LEGEND:
        say(line)
    for path in files.written:
        say(f"written: {path}")
