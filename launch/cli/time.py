"""`emu time`: how long programs take on a chip, and how much energy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from launch.cli.answering import answers, json_wanted
from launch.cli.option_fields import options_of
from launch.cli.options import COUNT
from launch.cli.trace_options import TRACE_FILE
from launch.processes.options import RunOptions
from launch.text.answer import Answer

BUILDS = ("upstream", "fork")
EXECUTORS = ("auto", "step", "fast")


@click.command(
    short_help="Time and energy of programs on a chip.",
    epilog="""\b
Examples:
  emu time out/lenet --arch puma
  emu time out/lenet --arch chip.toml --samples 16 --flow credits:4 --json
  emu time out/lenet --arch puma --what-if adc=free,network=2x --bottlenecks
  emu time out/lenet --arch isaac --critical-path --trace lenet.pftrace
  emu time program.json.gz --arch latency_config.json
  emu time program.json --arch latency_config.json --build fork --json""",
)
@click.argument("subject", metavar="OUT|PROGRAM", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--arch",
    metavar="CHIP",
    help="The chip: a preset's name or a TOML file with a table [timing] (default: the one that OUT was compiled for);"
    " for PROGRAM the configuration of pimsim-nn, JSON.",
)
@click.option(
    "--samples",
    type=COUNT,
    metavar="N",
    help="Samples back to back, the last two of which give the time per sample (default: 8).",
)
@options_of(
    RunOptions,
    "flow",
    texts="A send returns when the receiver took the data (default), or K messages per pair may wait.",
    defaults=False,
)
@click.option(
    "--critical-path",
    is_flag=True,
    help="Also tell which operations and messages decide the latency, by ONNX node, and the slack of the others.",
)
@click.option(
    "--what-if",
    metavar="RESOURCE=free|Fx,...",
    help="Also tell the time if resources took no time, or F times of what they take: adc=free,network=2x.",
)
@click.option("--bottlenecks", is_flag=True, help="Also tell the time with each resource free in turn.")
@click.option(
    "--peak-power", is_flag=True, help="Also tell the most power, and the most crossbars at work, at any one time."
)
@click.option(
    "--trace",
    type=TRACE_FILE,
    metavar="FILE",
    help="Also write the first sample as a trace: units and nodes of every core, messages as arrows; .pftrace for"
    " Perfetto, .json or .json.gz in Chrome's format.",
)
@click.option(
    "--build",
    type=click.Choice(BUILDS),
    help="Of PROGRAM: by the rules of pimsim-nn (upstream, the default), or of its fork, where a wait ends from its"
    " value on.",
)
@click.option(
    "--executor",
    type=click.Choice(EXECUTORS),
    help="Of PROGRAM: cycle by cycle, what ends together in the simulator's order or close to it (step); or from"
    " message to message, first come first served, for a window (rob_size) of 1 (fast); auto, the default: the former"
    " for up to 300000 instructions.",
)
@click.option(
    "--details", is_flag=True, help="Also print the tables: energy by component, nodes, units, waits, cores by finish."
)
@answers("--csv", "Write all numbers of OUT to this file.")
def command(subject: Path, **given: Any) -> Answer:
    """Time the programs of the directory OUT on a chip, or PROGRAM, without data: how long, how much energy, and why.

    Of OUT: latency of a sample and time per sample in the steady state, energy, power and area; with --details energy
    by component and node, use of units, and what cores wait for. What the chip's description does not say is named and
    left out. docs/timing.md has the model.

    PROGRAM is in PIM-ISA, as PIMCOMP-NN and RAPTOR write it for pimsim-nn: one JSON file, plain or gzip, or a
    directory with config.json and core_<id>.json or core_<id>.pim. What is computed is what pimsim-nn prints with
    sim_mode 1: the latency of one round.

    Programs of which cores wait for each other for ever are refused.
    """
    if given["details"] and json_wanted():
        raise click.UsageError("--details is of the text, --json has all: leave it out")
    from launch.system.by_name import named
    from launch.timing.options import TimeOptions
    from launch.timing.subjects import subject_of

    options = TimeOptions(**given)
    answer: Answer = named(subject_of(subject, options).figures)(subject, options)
    return answer
