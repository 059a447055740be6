"""`emu thesis`: the measurements of the thesis on channel-wise lowering, repeated."""

from __future__ import annotations

from typing import Any

import click

from launch.cli.answering import answers, json_wanted
from launch.cli.choices import TableChoice
from launch.cli.given import listed_alone
from launch.cli.options import COUNT
from launch.cli.values import Sizes
from launch.text.answer import Answer, Table


@click.command(
    short_help="Repeat the measurements of the channel-wise thesis.",
    epilog="""\b
Examples:
  emu thesis --list
  emu thesis mapping
  emu thesis instructions -o counts.csv --plot counts.svg
  emu thesis compile-time --sizes 4,8,12 --repeat 1
  emu thesis ir-size --json""",
)
@click.argument("name", metavar="EXPERIMENT", required=False, type=TableChoice("launch.thesis.experiments:EXPERIMENTS"))
@click.option(
    "--sizes",
    type=Sizes(),
    metavar="N,N,...",
    help="Pixels of a side of the images (default: those of the thesis, or small ones).",
)
@click.option(
    "--repeat", type=COUNT, metavar="N", help="Of compile-time: compile so often, and take the median (default: 3)."
)
@click.option("--list", "listing", is_flag=True, help="List the experiments.")
@answers("-o", plot=True)
def command(name: str | None, sizes: tuple[int, ...] | None, repeat: int | None, listing: bool) -> Answer:
    """Repeat an EXPERIMENT of the thesis on channel-wise lowering in RAPTOR, and show its figures beside ours.

    A convolution is compiled channel by channel, as `emu compile` does it, and pixel by pixel, the older scheme
    (`emu compile --lowering pixel`). docs/thesis.md tells what is measured, and what was found.
    """
    from launch.thesis.experiments import EXPERIMENTS

    if listing:
        listed_alone("--list", "all experiments and runs none")
    if name is None and not listing:
        raise click.UsageError(f"name an experiment, one of {', '.join(EXPERIMENTS)}")
    if name is None:
        return _list({name: row.title for name, row in EXPERIMENTS.items()})
    experiment = EXPERIMENTS[name]
    if sizes and not experiment.sizes:
        raise click.UsageError(f"--sizes means nothing to {name}, whose figures depend on no image: leave it out")
    if repeat and not experiment.repeats:
        raise click.UsageError(f"--repeat means nothing to {name}, which times nothing: leave it out")
    return _measured(name, sizes or experiment.sizes, repeat or experiment.repeats)


def _measured(name: str, sizes: tuple[int, ...], repeat: int) -> Answer:
    from launch.text.progress import progress_bar
    from launch.thesis.answer import experiment_answer
    from launch.thesis.experiments import EXPERIMENTS, Settings, steps_of

    with progress_bar(f"measuring {name}", steps_of(sizes, repeat), json_wanted()) as advance:
        return experiment_answer(EXPERIMENTS[name].run(Settings(sizes, repeat, advance)))


def _list(titles: dict[str, str]) -> Answer:
    rows: list[Any] = list(titles.items())
    return Answer(
        {"experiments": [{"experiment": name, "title": title} for name, title in rows]},
        [Table("", ("experiment", "what it measures"), rows)],
    )
