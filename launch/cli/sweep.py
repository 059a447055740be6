"""`emu sweep`: the same network on many chips, as a table and a picture."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compiler.basis.options import CompileOptions
from launch.cli.answering import answers
from launch.cli.campaigns import asked, campaign_options_without, run_campaign
from launch.cli.option_fields import options_of
from launch.text.answer import Answer
from launch.timing.options import TimeOptions

if TYPE_CHECKING:
    from launch.campaigns.campaign import Campaign


@click.command(
    short_help="Time a network on many chips, and mark the best.",
    epilog="""\b
Examples:
  emu sweep out/lenet --arch pimsim-latency --vary crossbar.adc_count=1,2,4
  emu sweep out/lenet --arch puma --vary timing.window=1,4,16 --vary timing.vector.lanes=4,64 --csv t.csv --plot t.svg
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
@options_of(CompileOptions, without=("host_fallback",), texts="Of MODEL: {}", defaults=False)
@options_of(TimeOptions, "samples", "flow")
@campaign_options_without(
    jobs={
        "default": None,
        "show_default": False,
        "help": "Number of chips that are timed at a time (default: one per processor).",
    }
)
@answers("Write the table to this file.", plot=True)
def command(
    subject: Path,
    vary: tuple[str, ...],
    arch: str | None,
    samples: int | None,
    flow: str | None,
    **compiling: Any,
) -> Answer:
    """Time OUT, or MODEL compiled for each, on the chips that combinations of values make of one.

    Of each chip: latency, time per sample, throughput, energy of a sample, average power and area, as `emu time` has
    them. Those are marked that are on the Pareto front: no other is better in latency, energy or area without being
    worse in another of them; of chips with equal figures it is the first. A chip that cannot be, or that does not hold
    the programs, is a row with the reason.

    Programs of OUT stay as they are; values that need other programs, such as crossbar.rows, need MODEL.
    """
    jobs = asked(click.get_current_context())["jobs"] or len(os.sched_getaffinity(0))
    with ExitStack() as stack:

        def make() -> Campaign:
            from launch.sweeps.campaign import sweep_campaign
            from launch.sweeps.subject import make_sweep

            sweep = make_sweep(subject, vary, arch, TimeOptions(samples=samples, flow=flow), compiling)
            return stack.enter_context(sweep_campaign(sweep, jobs))

        return run_campaign(make, ("launch.sweeps.campaign", "launch.cli.time", "launch.timing.image"), jobs=jobs)
