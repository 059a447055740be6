"""`emu stats`: what the programs of a directory consist of, and what they do in a sample."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.answering import answers
from launch.cli.options import IMAGE
from launch.text.answer import Answer


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
@answers("--csv", "Write all counts of all cores to this file.", plot=True)
def command(out: Path, compare: Path | None, by_core: bool) -> Answer:
    """Count what the programs of the directory OUT hold and do in one sample, by core and in total.

    Instructions as they are written, and unrolled: as often as they run. Bytes moved in local memory, to and from
    global memory and between cores, messages, multiplications (MACs), crossbars, and the share of their cells that
    hold weights; of crossbars that are written while the programs run, how often, and how long their cells last.
    """
    from launch.stats.answer import stats_answer
    from launch.stats.counting import read_stats
    from launch.stats.report import StatsReport

    return stats_answer(StatsReport(read_stats(out), None if compare is None else read_stats(compare), by_core))
