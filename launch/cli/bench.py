"""`emu bench`: where the product stands, as ratios against baselines measured in the same run."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from launch.cli.options import COUNT, json_option, print_json
from launch.cli.values import FILE, NEW_FOLDER

if TYPE_CHECKING:
    from launch.bench.rows import Row
    from launch.bench.session import Session


@click.command(
    short_help="Measure this machine against baselines of the same run.",
    epilog="""\b
Examples:
  emu bench --list
  emu bench --row resnet18-latency --row crossbar-batch
  emu bench --profile resnet18
  emu bench --profile my.onnx
  emu bench --all --profile resnet18 --write docs/performance.md""",
)
@click.option("--all", "everything", is_flag=True, help="Measure all rows.")
@click.option("--row", "names", multiple=True, metavar="NAME", help="Measure this row (repeatable).")
@click.option("--list", "listing", is_flag=True, help="List the rows with their targets.")
@click.option(
    "--profile",
    "networks",
    multiple=True,
    metavar="NETWORK",
    help="Show where the time of one image goes, for a built-in network or an ONNX file (repeatable).",
)
@click.option(
    "--runs", type=COUNT, default=15, show_default=True, metavar="N", help="Runs of each side; medians are compared."
)
@click.option("--quick", is_flag=True, help="Fewer and shorter runs: to see that it works, not for figures.")
@click.option("--write", type=FILE, help="Put the results between the markers of this Markdown page.")
@click.option("--work", type=NEW_FOLDER, help="Keep models and images in this directory, and reuse models.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    everything: bool,
    names: tuple[str, ...],
    listing: bool,
    networks: tuple[str, ...],
    runs: int,
    quick: bool,
    write: Path | None,
    work: Path | None,
    as_json: bool,
) -> None:
    """Measure this machine: each row is ours against a baseline, both in one run.

    Exit code 0: measured, whether targets are met or not; 1: a row could not be measured.
    """
    if not (everything or names or listing or networks):
        raise click.UsageError("name rows with --row, or use --all, --list or --profile")
    if write is not None and names:
        raise click.UsageError("--write needs all rows of one run: use it with --all or --profile, without --row")
    from launch.bench.rows import ROWS, choose

    if listing:
        _list(as_json)
        return
    from launch.bench.session import check_markers, run_session
    from launch.bench.workshop import Settings

    rows = ROWS if everything else choose(names)
    if write is not None:
        check_markers(write, rows, networks)
    session = run_session(rows, networks, Settings(runs, quick), work, lambda text: click.echo(text, err=True))
    if write is not None:
        session.write(write)
    if as_json:
        print_json(session.to_dict())
    else:
        _print(session)
    ctx.exit(int(session.failed))


def _list(as_json: bool) -> None:
    from launch.bench.rows import ROWS
    from launch.cli.tables import print_table

    if as_json:
        print_json({"rows": [_plain(row) for row in ROWS]})
        return
    rows = [
        (row.name, row.title, *("" if goal is None else goal.text() for goal in (row.target, row.moonshot)))
        for row in ROWS
    ]
    print_table("", ("row", "what", "target", "moonshot"), rows, "llrr")


def _plain(row: Row) -> dict[str, object]:
    goals = {"target": row.target, "moonshot": row.moonshot}
    return {"row": row.name, "title": row.title, **{key: goal and asdict(goal) for key, goal in goals.items()}}


def _print(session: Session) -> None:
    from launch.bench.machine import sentence
    from launch.bench.profile_tables import lines, tables
    from launch.bench.tables import ALIGN, COLUMNS, cells, notes
    from launch.cli.tables import print_table

    click.echo(sentence(dict(session.machine)))
    if session.outcomes:
        print_table("", COLUMNS, [cells(outcome) for outcome in session.outcomes], ALIGN)
        for note in notes(session.outcomes):
            click.echo(note)
    for network, profiles in session.profiles.items():
        click.echo(f"profile of {network}")
        for line in lines(profiles):
            click.echo(line)
        for columns, rows, align in tables(profiles):
            print_table("", columns, rows, align)
