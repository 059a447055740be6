"""`emu time`: how long programs take on a chip, and how much energy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from launch.cli.lines import say
from launch.cli.options import json_option, print_json

if TYPE_CHECKING:
    from launch.timing.figures import Figures

BUILDS = ("upstream", "fork")
EXECUTORS = ("auto", "step", "fast")


@click.command(
    short_help="Time and energy of a program on a chip.",
    epilog="""\b
Examples:
  emu time program.json.gz --arch latency_config.json
  emu time program.json --arch latency_config.json --build fork --json
  emu time cores/ --arch latency_config.json --executor fast""",
)
@click.argument("subject", metavar="PROGRAM", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--arch",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="CONFIG",
    help="Configuration of a pimsim-nn chip (JSON); the network table that it names lies beside it.",
)
@click.option(
    "--build",
    type=click.Choice(BUILDS),
    default="upstream",
    show_default=True,
    help="Whose rules: those of pimsim-nn, or of its fork, where a wait ends from its value on.",
)
@click.option(
    "--executor",
    type=click.Choice(EXECUTORS),
    default="auto",
    show_default=True,
    help="Cycle by cycle in the simulator's own order of what ends together; or from message to message, first come"
    " first served, for a window (rob_size) of 1; auto: the former for up to 300000 instructions.",
)
@json_option
def command(subject: Path, arch: Path, build: str, executor: str, as_json: bool) -> None:
    """Time PROGRAM on the chip CONFIG: latency, the finish of every core, energy by component.

    PROGRAM is in PIM-ISA, as PIMCOMP-NN and RAPTOR write it for pimsim-nn: one JSON file, plain or gzip, or a
    directory with config.json and core_<id>.json or core_<id>.pim. What is computed is what pimsim-nn prints with
    sim_mode 1: the latency of one round. Programs of which cores wait for each other for ever are refused.
    """
    from launch.system.by_name import named
    from launch.timing.subjects import subject_of

    _show(named(subject_of(subject).figures)(subject, arch, build, executor), as_json)


def _show(figures: Figures, as_json: bool) -> None:
    """Warnings on stderr; one JSON object, or lines and tables, on stdout."""
    from launch.cli.tables import print_table

    for warning in figures.warnings:
        say(f"warning: {warning}", err=True)
    if as_json:
        print_json(dict(figures.values))
        return
    for line in figures.lines:
        say(line)
    for table in figures.tables:
        print_table(table.title, table.columns, table.rows, table.right)
