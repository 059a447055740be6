"""`emu check`: what can be known of programs, and of meta-operator flows, before they run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.wording import counted
from launch.cli.answering import answers
from launch.cli.flows import checked, is_flow
from launch.cli.models import of_models
from launch.cli.option_fields import options_of
from launch.cli.text_lines import ANY_PROGRAMS
from launch.processes.options import RunOptions
from launch.text.answer import Answer, Part, Table

if TYPE_CHECKING:
    from emu.check import Report


@click.command(
    short_help="Prove or refute properties of programs, without data.",
    epilog="""\b
Examples:
  emu check out/lenet
  emu check out/lenet --flow credits:4 --strict
  emu check ring.asm
  emu check lenet.onnx --arch puma
  emu check out/lenet/flow.mop --arch puma""",
)
@click.argument("out", type=ANY_PROGRAMS)
@options_of(
    RunOptions, "flow", texts="Decide deadlock and races for this flow only (default: for all).", defaults=False
)
@click.option("--strict", is_flag=True, help="Also exit with 1 if a property could not be decided.")
@answers()
@of_models("out", flows=True)
def command(out: Path, flow: str | None, strict: bool, arch: str | None = None) -> Answer:
    """Prove or refute, without data, that the programs of the directory OUT run without traps, races and deadlocks.

    OUT may be assembly text (.asm), too: the verdicts then name its lines. A network is compiled first.

    Of a meta-operator flow (.mop) addresses, crossbars, rows, the computing mode of the chip, reads of what nothing has
    written, and what the operators of a parallel block share are checked. docs/mop.md says what each operator means.

    Exit code 0: nothing is refuted; 1: something is (with --strict: or could not be decided); 2: bad usage or input.
    """
    if is_flow(out):
        return checked(out, arch)
    from emu.check import check
    from emu.errors import InputError
    from emu.image.reader import open_image
    from emu.noc.ports.port import FlowControl

    report = check(open_image(out), FlowControl.parse(flow) if flow else None)
    if not report.cores:
        raise InputError(f"{out}: no core has a program, so there is nothing to prove")
    names = ", ".join(verdict.title for verdict in report.unproved)
    return Answer(
        report.to_dict(),
        _parts(out, report),
        [f"warning: could not be decided: {names}"] if names else [],
        exit_code=1 if report.refuted or (strict and not report.proved) else 0,
    )


def _parts(out: Path, report: Report) -> Iterator[Part]:
    rows = [(verdict.title, verdict.outcome.value) for verdict in report.verdicts]
    yield Table("verdicts, without data", ("property", "verdict"), rows)
    for verdict in [*report.refuted, *report.unproved]:
        yield f"{verdict.outcome.value}: {verdict.title}: {verdict.detail}"
    count = len(report.refuted), len(report.unproved)
    result = "all proved" if report.proved else f"{count[0]} refuted, {count[1]} not proved"
    yield f"{out}: {counted(report.cores, 'core')}, {result}, {report.seconds:.2f} s"
