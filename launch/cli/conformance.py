"""`emu conformance`: ONNX's own test suite on emulated core processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from compiler.basis.options import CompileOptions
from launch.cli.answering import answers
from launch.cli.campaigns import campaign_options, run_campaign
from launch.cli.choices import TableChoice
from launch.cli.option_fields import options_of
from launch.cli.options import COUNT, NATURAL, POSITIVE
from launch.text.answer import Answer

if TYPE_CHECKING:
    from launch.campaigns.campaign import Campaign


@click.command(
    short_help="Run ONNX's own test suite on core processes.",
    epilog="""\b
Examples:
  emu conformance
  emu conformance --kind node --op Conv
  emu conformance --case 'test_softmax_*' --all
  emu conformance --host-fallback
  emu conformance --sample 80 --seed 1 --jobs 2 --json""",
)
@click.option(
    "--kind",
    "kinds",
    type=TableChoice("launch.conformance.cases:KINDS"),
    multiple=True,
    help="Only cases of this kind (repeatable).",
)
@click.option("--op", metavar="NAME", default="", help="Only cases with this operator.")
@click.option("--case", metavar="GLOB", default="", help="Only cases whose name matches this pattern.")
@click.option(
    "--all", "all_cases", is_flag=True, help="All cases, not only those of the target set (docs/conformance.md)."
)
@click.option("--sample", type=COUNT, metavar="N", help="Only N of them, drawn at random.")
@click.option("--seed", type=NATURAL, metavar="N", default=0, show_default=True, help="Seed of --sample.")
@click.option(
    "--timeout",
    type=POSITIVE,
    metavar="S",
    default=300.0,
    help="Time limit in seconds of one case (default: 300).",
)
@click.option(
    "--deadline",
    type=POSITIVE,
    metavar="S",
    help="Time limit in seconds of the whole command; unfinished cases then count as not run (default: none).",
)
@options_of(CompileOptions, "host_fallback")
@campaign_options
@answers()
def command(
    kinds: tuple[str, ...],
    op: str,
    case: str,
    all_cases: bool,
    sample: int | None,
    seed: int,
    deadline: float | None,
    **options: Any,
) -> Answer:
    """Compile the cases of ONNX's test suite, run them on core processes, and compare with what the suite expects.

    A case has passed if it ran there and all outputs are right; it is hosted if that took nodes on the host
    (--host-fallback), refused if the compiler does not take it, and constant if an output depends on no value of a run.
    Exit code 0: none failed; 1: one did; 2: bad usage; 6: none failed, but --deadline came before the last one.
    """

    def make() -> Campaign:
        from launch.conformance.campaign import ConformanceOptions, conformance_campaign
        from launch.conformance.cases import KINDS
        from launch.conformance.selecting import Selection

        selection = Selection(op=op, case=case, all=all_cases, sample=sample, seed=seed)
        return conformance_campaign(ConformanceOptions(kinds=kinds or tuple(KINDS), selection=selection, **options))

    return run_campaign(make, ("launch.conformance.campaign", "launch.chips.segmented", "compiler.compiling"))
