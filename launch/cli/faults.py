"""`emu faults`: kills, traps, deadlocks and losses in real runs, and how soon they are known."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.answering import answers
from launch.cli.campaigns import campaign_options, run_campaign
from launch.cli.numbers import Whole
from launch.cli.options import COUNT, NATURAL
from launch.cli.values import FILE
from launch.text.answer import Answer


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
@campaign_options
@answers()
def command(runs: int, cores: int, seed: int, write: Path | None) -> Answer:
    """Make every kind of fault in real runs, at seeded moments, and check what each run says and leaves.

    Exit code 0: all faults were found out, the right core was named, and nothing was left; 1: otherwise.
    """
    from launch.faults.campaign import fault_campaign
    from launch.faults.page import check_fault_page

    if write is not None:
        check_fault_page(write)
    return run_campaign(lambda: fault_campaign(runs, cores, seed, write), ("launch.faults.campaign",))
