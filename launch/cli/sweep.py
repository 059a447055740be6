"""`emu sweep`: the same network on many chips, as a table and a picture."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compiler.basis.options import CompileOptions
from launch.cli.lines import say
from launch.cli.option_fields import options_of
from launch.cli.options import COUNT, NEW_FILE, json_option, output_option, print_json
from launch.cli.table_and_plot import TableAndPlot, plot_option
from launch.processes.options import RunOptions

if TYPE_CHECKING:
    from launch.sweeps.report import SweepReport


@click.command(
    short_help="Time a network on many chips, and mark the best.",
    epilog="""\b
Examples:
  emu sweep out/lenet --arch pimsim-latency --vary crossbar.adc_count=1,2,4
  emu sweep out/lenet --arch puma --vary timing.window=1,4,16 --vary timing.vector.lanes=4,64 -o t.csv --plot t.svg
  emu sweep lenet.onnx --arch puma --vary crossbar.cols=64,128 --vary core.crossbars=16,64 --cores 64 --json
  emu sweep out/lenet --arch puma --vary network.contention=none,links --samples 16 --flow credits:4""",
)
@click.argument("subject", metavar="OUT|MODEL", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--vary",
    metavar="KEY=V1,V2,...",
    multiple=True,
    required=True,
    help="A key of the architecture file with its table, as crossbar.adc_count=1,2,4, and its values (repeatable: all"
    " combinations).",
)
@click.option(
    "--arch",
    metavar="CHIP",
    help="The chip that is changed: a preset's name or a TOML file (default: the one that OUT was compiled for).",
)
@options_of(CompileOptions, without=("host_fallback",), texts="Of MODEL: as compile.", defaults=False)
@click.option("--samples", type=COUNT, metavar="N", help="As time.")
@options_of(RunOptions, "flow", texts="As time.", defaults=False)
@click.option("--jobs", type=COUNT, metavar="N", help="Time so many chips at a time (default: one per processor).")
@output_option(NEW_FILE, "Write the table to this file as CSV.")
@plot_option
@json_option
def command(
    subject: Path,
    vary: tuple[str, ...],
    arch: str | None,
    jobs: int | None,
    samples: int | None,
    flow: str | None,
    output: Path | None,
    plot: Path | None,
    as_json: bool,
    **compiling: Any,
) -> None:
    """Time OUT, or MODEL compiled for each, on the chips that combinations of values make of one.

    Of each chip: latency, time per sample, throughput, energy of a sample, average power and area, as `emu time` has
    them. Those are marked that are on the Pareto front: no other is better in latency, energy or area without being
    worse in another of them; of chips with equal figures it is the first. A chip that cannot be, or that does not hold
    the programs, is a row with the reason.

    Programs of OUT stay as they are; values that need other programs, such as crossbar.rows, take MODEL.
    """
    from launch.sweeps.drawing import draw
    from launch.sweeps.report import SweepReport
    from launch.sweeps.running import run_sweep
    from launch.sweeps.subject import make_sweep
    from launch.text.progress import progress_bar

    files = TableAndPlot(output, plot)
    timing = (("samples", samples), ("flow", flow))
    words = tuple(word for name, value in timing if value is not None for word in (f"--{name}", str(value)))
    sweep = make_sweep(subject, vary, arch, jobs, words, compiling)
    with progress_bar(f"sweeping {subject.name}", len(sweep.combinations), as_json) as advance:
        report = SweepReport(sweep, run_sweep(sweep, advance))
    files.write(report.csv, None if report.failure else partial(draw, report))
    _show(report, files, as_json)


def _show(report: SweepReport, files: TableAndPlot, as_json: bool) -> None:
    """One JSON object, or a table and why points are not in it; an error if there is not a single figure."""
    from emu.errors import InputError
    from launch.cli.tables import print_table

    values = report.values() | files.values()
    for warning in report.warnings:
        say(f"warning: {warning}", err=True)
    if as_json and not report.failure:
        print_json(values)
    elif not as_json:
        for line in report.lines():
            say(line)
        table = report.table()
        print_table(table.title, table.columns, table.rows, table.right)
        for line in [*report.reasons(), *report.notes, *(f"written: {path}" for path in files.written)]:
            say(line)
    if report.failure:
        error = InputError(report.failure)
        error.details = values
        raise error
