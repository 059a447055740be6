"""`emu report`: all that is known of a compiled directory, to look at."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from launch.cli.answering import answers, json_wanted, printed
from launch.cli.choices import TableChoice
from launch.cli.models import of_models
from launch.cli.option_fields import options_of
from launch.cli.options import output_option
from launch.cli.schema import SCHEMA
from launch.cli.text_lines import PROGRAMS_OR_MODEL, renamed
from launch.cli.values import FILE, NEW_FILE
from launch.text.answer import Answer, Part, Verbatim
from launch.timing.options import TimeOptions

TEXT = "text"  # the form that is printed like the answers of all commands


@click.command(
    short_help="A page that shows what was compiled, run and timed.",
    epilog="""\b
Examples:
  emu report out/lenet -o lenet.html
  emu report lenet.onnx --arch puma -o lenet.html
  emu launch out/lenet --keep all --model lenet.onnx --trace trace.json.gz --json > run.json
  emu report out/lenet --run run.json --trace trace.json.gz --model lenet.onnx -o lenet.html
  emu report out/lenet --arch chip.toml --format csv
  emu report out/lenet -o traffic.svg --figure matrix
  emu report --compare out/lenet out/packed -o compared.html""",
)
@click.argument("outs", metavar="OUT...", nargs=-1, required=True, type=PROGRAMS_OR_MODEL)
@click.option(
    "--run",
    "runs",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="What `launch --json` or `validate --json` printed of OUT, or the folder that --keep-artifacts left: verdict,"
    " error by node, time on this host.",
)
@click.option(
    "--arch",
    metavar="CHIP",
    help="Simulate time and energy on this chip: a preset's name or a TOML file (default: the one that OUT was compiled"
    " for, if it has a table [timing]).",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    type=FILE,
    help="The ONNX file of OUT: operators, and the graph as it is there.",
)
@click.option(
    "--trace",
    "traces",
    multiple=True,
    type=FILE,
    help="What `launch --trace` recorded of a run of OUT as .json or .json.gz: time of nodes and cores on this host.",
)
@options_of(TimeOptions, "samples", "peak_power")
@click.option("--compare", is_flag=True, help="Show two directories side by side.")
@click.option(
    "--format",
    "form",
    type=TableChoice("launch.report.forms:FORMS"),
    help="Form of the report (default: by the name of the file; text without one).",
)
@click.option("--figure", type=TableChoice("launch.report.forms:Figure"), help="Of svg and png: what is drawn.")
@click.option(
    "--by", type=TableChoice("launch.report.panels.metrics:METRICS"), help="Of the chip: what colours its cores."
)
@output_option(NEW_FILE, "Write the report to this file.")
@answers()
@of_models("outs", own_arch=True)
def command(**given: Any) -> Answer:
    """Show all that is known of OUT: whether its run was right, what every core and every node of the network does and
    takes, who sends whom how much, time and energy on a chip, and what decides the latency.

    The page (html) needs no network and nothing but a browser: cores, nodes and tables follow what is selected.
    Pictures (svg, png) for papers take altair and vl-convert-python. docs/report.md shows and explains all of it.
    """
    output = given["output"]
    from emu.output.whole_file import WholeFile
    from launch.report.request import ReportRequest
    from launch.report.text import report_parts

    request = ReportRequest(**given)  # as many runs and models as directories, or none
    form = request.checked()
    if json_wanted() and output is None and form.name not in ("json", TEXT):
        raise click.UsageError(
            f"--json and --format {form.name} both take stdout: leave one of them out, or name a file"
        )
    file = WholeFile(output) if output is not None else None  # refuses now what it cannot write
    values = json.loads(renamed(json.dumps(request.values())))

    def content() -> bytes:
        return printed(report_parts(values)) if form.name == TEXT else request.made(form, {"schema": SCHEMA, **values})

    if file is not None:
        made = content()
        with file as stream:
            stream.write(made)
    return Answer(values | {"file": output and str(output)}, _parts(form.name, output, values, content))


def _parts(form: str, output: Path | None, values: Mapping[str, Any], content: Callable[[], bytes]) -> Iterator[Part]:
    if output is not None:
        yield f"written: {output}"
    elif form == TEXT:
        from launch.report.text import report_parts

        yield from report_parts(values)
    else:
        yield Verbatim(content().decode())
