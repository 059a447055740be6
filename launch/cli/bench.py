"""`emu bench`: where the product stands, as ratios against baselines measured in the same run."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from launch.cli.answering import answers
from launch.cli.campaigns import asked, campaign_options_without, run_campaign
from launch.cli.given import listed_alone
from launch.cli.options import COUNT
from launch.cli.values import FILE, NEW_FOLDER
from launch.text.answer import Answer, Table

if TYPE_CHECKING:
    from launch.bench.row import BenchRow


@click.command(
    short_help="Measure this machine against baselines of the same run.",
    epilog="""\b
Examples:
  emu bench --list
  emu bench --row resnet18-latency --row crossbar-batch
  emu bench --profile resnet18
  emu bench --profile my.onnx
  emu bench --costs
  emu bench --all --profile resnet18 --costs --write docs/performance.md""",
)
@click.option("--all", "everything", is_flag=True, help="Measure all rows.")
@click.option("--row", "names", multiple=True, metavar="NAME", help="Measure this row (repeatable).")
@click.option("--list", "listing", is_flag=True, help="List the rows with their targets.")
@click.option(
    "--profile",
    "networks",
    multiple=True,
    metavar="NETWORK",
    help="Profile the time of one image, for a built-in network or an ONNX file (repeatable).",
)
@click.option("--costs", is_flag=True, help="Measure what one step of a message and of an instruction costs.")
@click.option(
    "--repeat", type=COUNT, default=15, show_default=True, metavar="N", help="Runs of each side; medians are compared."
)
@click.option("--quick", is_flag=True, help="Fewer and shorter runs: a smoke test, not for figures.")
@click.option("--write", type=FILE, help="Put the results between the markers of this Markdown page.")
@click.option("--work", type=NEW_FOLDER, help="Keep models and images in this directory, and reuse models.")
@campaign_options_without("list_cases", "jobs", "isolated")
@answers()
def command(
    everything: bool,
    names: tuple[str, ...],
    listing: bool,
    networks: tuple[str, ...],
    costs: bool,
    repeat: int,
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
    if not (everything or names or networks or costs):
        raise click.UsageError("name rows with --row, or use --all, --list, --profile or --costs")
    if write is not None and names:
        raise click.UsageError(
            "--write needs all rows of one run: use it with --all, --profile or --costs, without --row"
        )
    chosen = asked(click.get_current_context())
    if write is not None and any(chosen[name] for name in ("select", "last_failed", "shard", "fail_fast")):
        raise click.UsageError("--write needs all rows of one run: leave what chooses some of them out")
    from launch.bench.rows import ROWS, choose
    from launch.bench.session import bench_campaign, check_markers
    from launch.bench.workshop import BenchSettings

    rows = ROWS if everything else choose(names)
    if write is not None:
        check_markers(write, rows, networks, costs)
    with bench_campaign(rows, networks, BenchSettings(repeat, quick), work, write, costs) as campaign:
        return run_campaign(lambda: campaign, None)


def _list() -> Answer:
    from launch.bench.rows import ROWS

    rows = [
        (row.name, row.title, *("" if goal is None else goal.text() for goal in (row.target, row.moonshot)))
        for row in ROWS
    ]
    table = Table("", ("row", "what", "target", "moonshot"), rows, "llrr")
    return Answer({"rows": [_plain(row) for row in ROWS]}, [table])


def _plain(row: BenchRow) -> dict[str, object]:
    goals = {"target": row.target, "moonshot": row.moonshot}
    return {"row": row.name, "title": row.title, **{key: goal and asdict(goal) for key, goal in goals.items()}}
