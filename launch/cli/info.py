"""`emu info`: the contents of a directory, and the work of its programs in a sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from launch.cli.answering import answers
from launch.cli.models import of_models
from launch.cli.options import IMAGE
from launch.cli.text_lines import PROGRAMS_OR_MODEL
from launch.cli.weights_map import map_options, weights_answer
from launch.text.answer import Answer


@click.command(
    short_help="What programs hold and do: nodes, cores, instructions, weights.",
    epilog="""\b
Examples:
  emu info out/lenet
  emu info lenet.onnx --arch puma
  emu info out/lenet --details --per-core --csv lenet.csv
  emu info out/lenet --against out/packed --plot mix.svg
  emu info out/lenet --node conv1
  emu info out/lenet --node conv2 --element 4,1,4,4
  emu info out/lenet --core 3 --crossbar 3:0
  emu info out/lenet --crossbar 3:0 --cell 17,4""",
)
@click.argument("out", type=PROGRAMS_OR_MODEL)
@click.option("-v", "--details", is_flag=True, help="Also show the work of the instructions: their mix, bytes, MACs.")
@click.option("--per-core", "by_core", is_flag=True, help="Also list every core.")
@click.option("--against", type=IMAGE, metavar="OTHER", help="Show what instructions do here and in another directory.")
@map_options
@answers("Write all counts of all cores to this file.", plot=True)
@of_models("out")
def command(out: Path, details: bool, by_core: bool, against: Path | None, **asked: Any) -> Answer:
    """Show what the directory OUT holds: which cores, crossbars, memory and messages each ONNX node takes.

    A network in the place of OUT is compiled first, as emu compile does it.

    With --details also what the programs do in one sample: instructions as they are written, and unrolled, as often as
    they run; bytes moved in local memory, to and from global memory and between cores; multiplications (MACs); of
    crossbars that are written while the programs run, how often, and how long their cells last.

    With --node, --core or --crossbar (each may be repeated) show instead where weights stand: which rows and columns
    of an array group hold which indices of which tensor of the network.
    """
    if asked["cell"] is not None and not asked["crossbars"]:
        raise click.UsageError("--cell is one of a crossbar: name that by --crossbar C:G, too")
    if asked["element"] is not None and not asked["nodes"]:
        raise click.UsageError("--element is one of the weights of a node: name that by --node NAME, too")
    if any(asked.values()):
        if by_core:
            raise click.UsageError("--per-core lists all cores: leave it out, or --node, --core and --crossbar")
        if details or against is not None:
            idle = "--details" if details else "--against"
            raise click.UsageError(f"{idle} is of programs: leave it out, or --node, --core and --crossbar")
        return weights_answer(out, asked)
    from launch.info.drawing import draw
    from launch.info.report import InfoReport, read_held

    report = InfoReport(read_held(out), None if against is None else read_held(against), by_core, details)
    return Answer(report.values(), report.parts(), csv=report.csv, draw=lambda kind: draw(report, kind))
