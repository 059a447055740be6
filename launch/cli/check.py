"""`emu check`: what can be known of compiled programs before they run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.wording import counted
from launch.cli.lines import say
from launch.cli.option_fields import options_of
from launch.cli.options import IMAGE, json_option, print_json
from launch.processes.options import RunOptions

if TYPE_CHECKING:
    from emu.check import Report


@click.command(
    short_help="Prove or refute properties of programs, without data.",
    epilog="\b\nExamples:\n  emu check out/lenet\n  emu check out/lenet --flow credits:4 --strict",
)
@click.argument("out", type=IMAGE)
@options_of(
    RunOptions, "flow", texts="Decide deadlock and races for this flow only (default: for all).", defaults=False
)
@click.option("--strict", is_flag=True, help="Also exit with 1 if a property could not be decided.")
@json_option
@click.pass_context
def command(ctx: click.Context, out: Path, flow: str | None, strict: bool, as_json: bool) -> None:
    """Prove or refute, without data, that the programs of the directory OUT run without traps, races and deadlocks.

    Exit code 0: nothing is refuted; 1: something is (with --strict: or could not be decided); 2: bad usage or input.
    """
    from emu.check import check
    from emu.errors import InputError
    from emu.image.reader import open_image
    from emu.noc.ports.port import Flow

    report = check(open_image(out), Flow.parse(flow) if flow else None)
    if not report.cores:
        raise InputError(f"{out}: no core has a program, so there is nothing to prove")
    if as_json:
        print_json(report.to_dict())
    else:
        _show(out, report)
    if report.unproved:
        names = ", ".join(verdict.title for verdict in report.unproved)
        say(f"warning: could not be decided: {names}", err=True)
    ctx.exit(1 if report.refuted or (strict and not report.proved) else 0)


def _show(out: Path, report: Report) -> None:
    from launch.cli.tables import print_table

    rows = [(verdict.title, verdict.outcome.value) for verdict in report.verdicts]
    print_table("verdicts, without data", ("property", "verdict"), rows)
    for verdict in [*report.refuted, *report.unproved]:
        say(f"{verdict.outcome.value}: {verdict.title}: {verdict.detail}")
    count = len(report.refuted), len(report.unproved)
    result = "all proved" if report.proved else f"{count[0]} refuted, {count[1]} not proved"
    click.echo(f"{out}: {counted(report.cores, 'core')}, {result}, {report.seconds:.2f} s")
