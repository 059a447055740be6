"""`emu time`: how long programs take on a chip, and how much energy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from launch.cli.answering import answers, json_wanted
from launch.cli.models import of_models
from launch.cli.option_fields import options_of
from launch.cli.trace_options import TRACE_FILE
from launch.text.answer import Answer
from launch.timing.options import TimeOptions


@click.command(
    short_help="Time and energy of programs on a chip.",
    epilog="""\b
Examples:
  emu time out/lenet --arch puma
  emu time lenet.onnx --arch puma --cores 64
  emu time out/lenet --arch chip.toml --samples 16 --flow credits:4 --json
  emu time out/lenet --arch isaac --what-if adc=+1,network=2x
  emu time out/lenet --arch puma --bottlenecks
  emu time out/lenet --arch isaac --critical-path --trace lenet.pftrace
  emu time program.json.gz --arch latency_config.json
  emu time program.json --arch latency_config.json --simulator fork --json""",
)
@click.argument("subject", metavar="OUT|MODEL|PROGRAM", type=click.Path(exists=True, path_type=Path))
@options_of(TimeOptions, trace={"type": TRACE_FILE})
@answers("Write all numbers of OUT to this file.")
@of_models("subject", own_arch=True)
def command(subject: Path, **given: Any) -> Answer:
    """Time the programs of the directory OUT on a chip, or PROGRAM, without data: how long, how much energy, and why.

    Of OUT: latency of a sample and time per sample in the steady state, energy of work and of time, power and area;
    with --details energy by component and node, use of units, and what cores wait for. What the chip's description
    does not say is named and left out. docs/timing.md has the model.

    MODEL is a network (ONNX, MLIR, .pt2): it is compiled for the chip first, as emu compile does it.

    PROGRAM is in PIM-ISA, as PIMCOMP-NN and RAPTOR write it for pimsim-nn: one JSON file, plain or gzip, or a
    directory with config.json and core_<id>.json or core_<id>.pim. What is computed is what pimsim-nn prints with
    sim_mode 1: the latency of one round.

    Programs that deadlock are rejected.
    """
    if given["details"] and json_wanted():
        raise click.UsageError("--details is of the text, --json has all: leave it out")
    from launch.system.by_name import named
    from launch.timing.subjects import subject_of

    options = TimeOptions(**given)
    answer: Answer = named(subject_of(subject, options).figures)(subject, options)
    return answer
