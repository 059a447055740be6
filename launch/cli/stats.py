"""`emu stats`: what the programs of a directory consist of, and what they do in a sample."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from launch.cli.lines import say
from launch.cli.options import IMAGE, NEW_FILE, json_option, print_json


@click.command(
    short_help="Instruction mix, bytes moved, MACs, crossbars of programs.",
    epilog="""\b
Examples:
  emu stats out/lenet
  emu stats out/lenet --cores --csv lenet.csv
  emu stats out/lenet --compare out/packed --plot mix.svg
  emu stats out/lenet --json""",
)
@click.argument("out", type=IMAGE)
@click.option("--compare", type=IMAGE, metavar="OTHER", help="Show another directory beside it.")
@click.option("--cores", "by_core", is_flag=True, help="Also list every core.")
@click.option("--csv", "table", type=NEW_FILE, metavar="FILE", help="Write all counts of all cores to this file.")
@click.option(
    "--plot", type=NEW_FILE, help="Draw it: a file that ends with .svg or .png (takes altair and vl-convert-python)."
)
@json_option
def command(
    out: Path, compare: Path | None, by_core: bool, table: Path | None, plot: Path | None, as_json: bool
) -> None:
    """Count what the programs of the directory OUT hold and do in one sample, by core and in total.

    Instructions as they are written, and unrolled: as often as they run. Bytes moved in local memory, to and from
    global memory and between cores, messages, multiplications (MACs), crossbars, and the share of their cells that
    hold weights.
    """
    from emu.output.whole_file import WholeFile
    from launch.cli.tables import print_table
    from launch.stats.counting import read_stats
    from launch.stats.report import LEGEND, StatsReport
    from launch.text.picture import check_drawing

    if plot is not None:
        check_drawing(plot)
        if table is not None and table.absolute() == plot.absolute():
            raise click.UsageError("--csv and --plot name the same file: name two")
    files = {path: WholeFile(path) for path in (table, plot) if path is not None}  # refuses now what it cannot write
    report = StatsReport(read_stats(out), None if compare is None else read_stats(compare), by_core)
    with ExitStack() as both:
        if table is not None:
            both.enter_context(files[table]).write(report.csv().encode())
        if plot is not None:
            from launch.stats.drawing import draw

            both.enter_context(files[plot]).write(draw(report, plot.suffix.lower()))
    if as_json:
        print_json(report.values() | {"table": table and str(table), "plot": plot and str(plot)})
        return
    for line in report.lines():
        say(line)
    for shown in report.tables():
        print_table(shown.title, shown.columns, shown.rows, shown.right)
    for line in LEGEND:
        say(line)
    for path in files:
        say(f"written: {path}")
