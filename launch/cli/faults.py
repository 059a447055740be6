"""`emu faults`: kills, traps, deadlocks and losses in real runs, and how soon they are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from emu.wording import counted
from launch.cli.lines import say
from launch.cli.numbers import Whole
from launch.cli.options import COUNT, NATURAL, json_option, print_json, tell_on_stderr
from launch.cli.values import FILE


@click.command(
    short_help="Cause every kind of fault; tell how soon it is known.",
    epilog="""\b
Examples:
  emu faults --cores 16
  emu faults --runs 20 --cores 64 --write docs/communication.md""",
)
@click.option("--runs", type=COUNT, metavar="N", default=1, show_default=True, help="Runs of each kind of fault.")
@click.option("--cores", type=Whole(min=2), metavar="N", default=16, show_default=True, help="Core processes.")
@click.option("--seed", type=NATURAL, metavar="N", default=0, show_default=True, help="Cores, moments.")
@click.option("--write", type=FILE, help="Put the table between the markers of this Markdown page.")
@json_option
@click.pass_context
def command(ctx: click.Context, runs: int, cores: int, seed: int, write: Path | None, as_json: bool) -> None:
    """Make every kind of fault in real runs, at seeded moments, and check what each run says and leaves.

    Exit code 0: all faults were found out, the right core was named, and nothing was left; 1: otherwise.
    """
    from launch.faults.campaign import run_campaign
    from launch.faults.page import check_fault_page, to_dict, write_fault_page

    if write is not None:
        check_fault_page(write)
    outcomes = list(run_campaign(runs, cores, seed, tell_on_stderr))
    if write is not None:
        write_fault_page(write, outcomes, cores)
    if as_json:
        print_json(to_dict(outcomes, cores, seed))
    else:
        _print(outcomes, cores)
    ctx.exit(int(not all(outcome.right for outcome in outcomes)))


def _print(outcomes: list[Any], cores: int) -> None:
    from launch.cli.tables import print_table
    from launch.faults.campaign import ALIGN, COLUMNS

    title = f"faults in runs of {counted(cores, 'core')}"
    print_table(title, COLUMNS, [outcome.cells() for outcome in outcomes], ALIGN)
    for outcome in outcomes:
        for problem in outcome.problems():
            say(problem)
    late = sum(outcome.late for outcome in outcomes)
    click.echo(f"later than their limit: {late}, problems: {sum(len(outcome.problems()) for outcome in outcomes)}")
