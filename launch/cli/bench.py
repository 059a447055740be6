"""`emu bench`: where the product stands, as ratios against baselines measured in the same run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from launch.cli.answering import answers
from launch.cli.listing import listed_alone
from launch.cli.options import COUNT
from launch.cli.values import FILE, NEW_FOLDER
from launch.text.answer import Answer, Part, Table

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
@answers()
def command(
    everything: bool,
    names: tuple[str, ...],
    listing: bool,
    networks: tuple[str, ...],
    runs: int,
    quick: bool,
    write: Path | None,
    work: Path | None,
) -> Answer:
    """Measure this machine: each row is ours against a baseline, both in one run.

    Exit code 0: measured, whether targets are met or not; 1: a row could not be measured.
    """
    if listing:
        listed_alone("--list", "all rows and measures none")
        return _list()
    if not (everything or names or networks):
        raise click.UsageError("name rows with --row, or use --all, --list or --profile")
    if write is not None and names:
        raise click.UsageError("--write needs all rows of one run: use it with --all or --profile, without --row")
    from launch.bench.rows import ROWS, choose
    from launch.bench.session import check_markers, run_session
    from launch.bench.workshop import Settings

    rows = ROWS if everything else choose(names)
    if write is not None:
        check_markers(write, rows, networks)
    session = run_session(rows, networks, Settings(runs, quick), work, lambda text: click.echo(text, err=True))
    if write is not None:
        session.write(write)
    return Answer(session.to_dict(), _parts(session), exit_code=int(session.failed))


def _list() -> Answer:
    from launch.bench.rows import ROWS

    rows = [
        (row.name, row.title, *("" if goal is None else goal.text() for goal in (row.target, row.moonshot)))
        for row in ROWS
    ]
    table = Table("", ("row", "what", "target", "moonshot"), rows, "llrr")
    return Answer({"rows": [_plain(row) for row in ROWS]}, [table])


def _plain(row: Row) -> dict[str, object]:
    goals = {"target": row.target, "moonshot": row.moonshot}
    return {"row": row.name, "title": row.title, **{key: goal and asdict(goal) for key, goal in goals.items()}}


def _parts(session: Session) -> Iterator[Part]:
    from launch.bench.machine import sentence
    from launch.bench.profile_tables import lines, tables
    from launch.bench.tables import notes, rows_table

    yield sentence(dict(session.machine))
    if session.outcomes:
        yield rows_table(session.outcomes)
        yield from notes(session.outcomes)
    for network, profiles in session.profiles.items():
        yield f"profile of {network}"
        yield from lines(profiles)
        yield from tables(profiles)
