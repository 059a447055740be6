"""`emu sweep`: points of a design space, each with its figures, as a table and a picture."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compiler.basis.options import CompileOptions
from emu.options import specs
from launch.cli.answering import answers
from launch.cli.campaigns import asked, campaign_options_without, run_campaign
from launch.cli.option_fields import options_of
from launch.sweeps.options import SweepOptions
from launch.text.answer import Answer
from launch.timing.options import TimeOptions

if TYPE_CHECKING:
    from launch.campaigns.campaign import Campaign

_TIMED = ("samples", "flow")
NEEDED = ("launch.sweeps.campaign", "launch.sweeps.point_case", "launch.cli.compile")


@click.command(
    short_help="Time, energy, area of many chips; the best are marked.",
    epilog="""\b
Examples:
  emu sweep out/lenet --arch pimsim-latency --vary crossbar.adc_count=1,2,4
  emu sweep lenet.onnx --arch isaac,puma --vary duplicate=none,throughput --metric latency,energy
  emu sweep lenet.onnx --arch puma --vary crossbar.rows=crossbar.cols=64,128 --vary cores=16..64..2x --csv t.csv
  emu sweep lenet.onnx --arch isaac --vary crossbar.rows:timing.adc.convert_ns=64:0.5,128:0.8 --resume sweep.jsonl
  emu sweep --arch isaac --vary crossbar.adc_count=1..8 --vary core.crossbars=8..512..8 --points 20 --choice random""",
)
@click.argument("subject", metavar="[OUT|MODEL]", required=False, type=click.Path(exists=True, path_type=Path))
@options_of(SweepOptions)
@options_of(CompileOptions, without=("host_fallback",), texts="Of MODEL: {}", defaults=False)
@options_of(TimeOptions, *_TIMED)
@campaign_options_without(
    jobs={
        "default": None,
        "show_default": False,
        "help": "Number of points that are computed at a time (default: one per processor).",
    }
)
@answers("Write the table to this file.", plot=True)
def command(subject: Path | None, **given: Any) -> Answer:
    """Compute the figures of OUT, or of MODEL compiled for each, at every point that combinations of values make.

    A point is a chip with options of the compiler and of time. Each has latency, time per sample, throughput, energy of
    a sample, average power and area, as `emu time` has them; without OUT or MODEL it has what `emu arch` sums and
    computes of the chip by itself. Those are marked that are on the Pareto front: no other is better in one of the
    metrics compared without being worse in another of them; of points with equal figures it is the first. What cannot
    be, or does not hold the programs, is a row with the reason.

    Programs of OUT stay as they are; values that need other programs, such as crossbar.rows, need MODEL.
    """
    jobs = asked(click.get_current_context())["jobs"] or len(os.sched_getaffinity(0))
    options = SweepOptions(**{name: given.pop(name) for name in specs(SweepOptions)})
    timing = TimeOptions(**{name: given.pop(name) for name in _TIMED})
    with ExitStack() as stack:

        def make() -> Campaign:
            from launch.sweeps.campaign import sweep_campaign
            from launch.sweeps.subject import make_sweep

            sweep = make_sweep(subject, options, timing, given)
            return stack.enter_context(sweep_campaign(sweep, jobs, options.resume))

        return run_campaign(make, NEEDED, jobs=jobs)
